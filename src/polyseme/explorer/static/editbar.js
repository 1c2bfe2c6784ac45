// The bar at the bottom while there are edits: what was changed, undo, and saving as a new model.
import { ApiError, post } from "./api.js";
import { el, announce, plural } from "./dom.js";
import { addEdit, allEdits, describe, forget, loadEdits, merges, undo } from "./edits.js";

/** Shows the bar whenever the edits change. `refresh` shows the view again. */
export function startEditBar(info, refresh) {
  const place = document.getElementById("edits");
  loadEdits(info.models[0].name);
  function show() {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
    draw();
    if (focused !== null)
      (place.querySelector(`#${focused || "undo"}`) ?? document.querySelector("#view h1"))?.focus({ preventScroll: true });
  }
  function draw() {
    const edits = allEdits();
    const chosen = merges();
    if (!edits.length && !chosen.length) return place.replaceChildren();
    const act = (action) => () => {
      action();
      refresh();
    };
    place.replaceChildren(
      el(
        "aside",
        { class: "edit-bar", "aria-label": "Unsaved edits" },
        chosen.length
          ? el(
              "button",
              {
                type: "button",
                id: "merge",
                class: "primary",
                disabled: chosen.length < 2,
                on: { click: act(() => addEdit({ merge: chosen })) },
              },
              chosen.length < 2 ? "Merge: choose another sense" : `Merge ${chosen.join(" + ")}`,
            )
          : null,
        edits.length
          ? [
              el(
                "details",
                { class: "edit-list" },
                el("summary", {}, plural(edits.length, "unsaved edit")),
                el(
                  "ol",
                  {},
                  edits.map((edit) => el("li", {}, describe(edit))),
                ),
              ),
              el("span", { class: "last note" }, describe(edits.at(-1))),
              el("button", { type: "button", id: "undo", title: "Undo (z)", on: { click: act(undo) } }, "Undo"),
              el(
                "button",
                { type: "button", id: "save", class: "primary", on: { click: () => saveDialog(info, refresh) } },
                ...["Save as", el("span", { class: "not-on-phone" }, " a new model"), "…"],
              ),
            ]
          : null,
      ),
    );
    return undefined;
  }
  document.addEventListener("editschange", show);
  addEventListener("beforeunload", (event) => allEdits().length && event.preventDefault());
  show();
}

/** Asks for a name; if it is taken, asks again before anything is replaced. */
function saveDialog(info, refresh) {
  const current = info.models[0].name;
  const isOpen = (saved) => info.models.some((model) => model.name === saved);
  const name = el("input", {
    id: "save-name",
    required: true,
    maxlength: "100",
    value: `${current.replace(/\.model$/, "")}-edited.model`,
    autocomplete: "off",
    spellcheck: "false",
  });
  const message = el("p", { class: "message", role: "alert" });
  const submit = el("button", { type: "submit", class: "primary" }, "Save");
  const effect = el("p", { class: "note" });
  const describeEffect = () => {
    const replaced = info.models.find((model) => model.name === name.value.trim());
    const what = replaced
      ? `The edited model replaces ${replaced.name}, which is open.`
      : `The model is written beside ${current}, which stays as it is.`;
    const index =
      replaced?.has_index && allEdits().some((edit) => !edit.label)
        ? [
            " The index no longer fits then and is not used: start the page with ",
            el("code", {}, "--corpus"),
            " to build it again.",
          ]
        : [];
    effect.replaceChildren(`${plural(allEdits().length, "edit")}. ${what}`, ...index);
  };
  describeEffect();
  let overwrite = null;
  name.addEventListener("input", () => {
    describeEffect();
    overwrite = null;
    submit.textContent = "Save";
    submit.classList.remove("danger");
    message.textContent = "";
  });
  const form = el(
    "form",
    { method: "dialog", on: { submit: send } },
    el("h2", { id: "save-title" }, "Save as a new model"),
    effect,
    el("p", {}, el("label", { for: "save-name" }, "Name of the folder"), name),
    message,
    el(
      "p",
      { class: "dialog-buttons" },
      el("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"),
      submit,
    ),
  );
  const dialog = el(
    "dialog",
    { "aria-labelledby": "save-title", id: "save-dialog", on: { close: () => dialog.remove() } },
    form,
  );
  async function send(event) {
    event.preventDefault();
    const wanted = name.value.trim();
    submit.disabled = true;
    message.textContent = "";
    announce("Saving");
    form.classList.add("saving");
    try {
      const { saved, command } = await post("save", { edits: allEdits(), name: wanted, overwrite: overwrite === wanted });
      forget();
      dialog.close();
      announce(`Saved as ${saved}`);
      if (isOpen(saved)) return location.reload();
      document.dispatchEvent(new CustomEvent("saved", { detail: command }));
      refresh();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && overwrite !== wanted) {
        overwrite = wanted;
        submit.textContent = "Replace it";
        submit.classList.add("danger");
        message.textContent = isOpen(wanted)
          ? `Replace the open model? Or choose another name than “${wanted}”.`
          : `“${wanted}” exists already. Replace it, or choose another name.`;
      } else {
        message.textContent = error.message;
      }
    } finally {
      submit.disabled = false;
      form.classList.remove("saving");
    }
    return undefined;
  }
  document.body.append(dialog);
  dialog.showModal();
  name.select();
}
