// The list of edits that are not saved yet: merge, drop and label. The server applies them to show and to save.
import { post } from "./api.js";
import { announce } from "./dom.js";
import { split } from "./senses.js";

let stored = "polyseme-edits"; // name in sessionStorage: a reload keeps the edits, a new tab starts without any
let edits = [];
let merging = new Set();
let on = false;

/** Reads the edits of a model that this tab has kept. */
export function loadEdits(model) {
  stored = `polyseme-edits ${model}`;
  try {
    edits = JSON.parse(sessionStorage.getItem(stored)) ?? [];
  } catch {
    edits = [];
  }
}

function changed() {
  try {
    sessionStorage.setItem(stored, JSON.stringify(edits));
  } catch {
    /* not kept */
  }
  document.dispatchEvent(new CustomEvent("editschange"));
}

export const allEdits = () => edits;
export const merges = () => [...merging];
export const editing = () => on;

export function setEditing(value) {
  on = value;
  merging = new Set();
  changed();
}

/** Chooses a sense for merging, or not. Senses of other words are no longer chosen. */
export function toggleMerge(key, chosen) {
  const { word } = split(key);
  merging = new Set(merges().filter((other) => split(other).word === word));
  if (chosen) merging.add(key);
  else merging.delete(key);
  changed();
}

export function addEdit(edit) {
  edits = [...edits, edit];
  merging = new Set();
  changed();
  announce(describe(edit));
}

/** Removes the last edit. */
export function undo() {
  const last = edits.at(-1);
  edits = edits.slice(0, -1);
  merging = new Set();
  changed();
  if (last) announce(`Undone: ${describe(last)}`);
}

export function forget() {
  edits = [];
  merging = new Set();
  changed();
}

/** Returns an edit as a sentence. */
export function describe(edit) {
  if (edit.merge) return `Merge ${edit.merge.join(" + ")}`;
  if (edit.drop) return `Drop ${edit.drop}`;
  return edit.label.label ? `Label ${edit.label.key} “${edit.label.label}”` : `Remove the label of ${edit.label.key}`;
}

const keysOf = (edit) => edit.merge ?? [edit.drop ?? edit.label.key];

/** The edits that concern a word. */
export function editsOf(word) {
  return edits.filter((edit) => keysOf(edit).some((key) => split(key).word === word));
}

/** Returns the senses of a word after its edits, with the examples of the senses that are still there. */
export async function previewed(word, original, signal) {
  const answer = await post("preview", { word, edits: editsOf(word) }, signal);
  const examples = new Map(original.senses.map((sense) => [sense.key, sense.examples]));
  for (const sense of answer.senses) sense.examples = examples.get(sense.key) ?? sense.examples;
  return answer;
}
