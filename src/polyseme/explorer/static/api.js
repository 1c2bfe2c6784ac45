// Asks the server, or the answers that an exported page carries with it.

const embedded = document.getElementById("polyseme-answers");

/** The data of an exported page: {info, words, answers}; null if there is a server. */
export const exported = embedded ? JSON.parse(embedded.textContent) : null;

/** Whether the page can show a word: an exported page has some words only. */
export const isShown = (word) => !exported || exported.words.includes(word);

/** Whether words can be compared: an exported page of many words has no comparisons. */
export const comparable = !exported || Object.keys(exported.answers).some((path) => path.startsWith("/api/compare/"));

/** The description of a model, by its number in the address. */
export const modelOf = (info, number) => info.models[Number(number ?? 0)] ?? info.models[0];

export class ApiError extends Error {
  constructor(message, status, closest = [], word = undefined) {
    super(message);
    this.status = status;
    this.closest = closest;
    this.word = word; // that is not known
  }
}

/** GET /api/PARTS?query. Parts are encoded; undefined values of the query are left out. */
export async function get(parts, query = {}, signal = undefined) {
  if (exported) return fromExport(parts, query);
  const path = parts.map(encodeURIComponent).join("/");
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(pairs).toString();
  return request(`api/${path}${search ? `?${search}` : ""}`, { signal });
}

export async function post(name, body, signal = undefined) {
  if (exported) throw new ApiError("This page was exported and has no server.", 405);
  const token = document.querySelector('meta[name="polyseme-token"]').content;
  const headers = { "Content-Type": "application/json", "X-Polyseme-Token": token };
  return request(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body), signal }, name === "save" ? 1 : 3);
}

async function request(url, options, attempts = 3) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer. Is polyseme explore still running?", 0);
  }
  if (response.status === 503 && response.headers.has("Retry-After") && attempts > 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return request(url, options, attempts - 1);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  throw new ApiError(
    answer?.error ?? `The server answered with status ${response.status}.`,
    response.status,
    answer?.closest ?? [],
    answer?.word,
  );
}

const notExported = (word) =>
  new ApiError(`'${word}' is not part of this exported page.`, 404, exported.words, word);

function fromExport(parts, query) {
  const path = parts.join("/");
  if (path === "info") return exported.info;
  if (path === "complete") return completed(query.q);
  if (path === "compare/words") return compared(query.a, query.b);
  const answer = exported.answers[`/api/${path}`];
  if (!answer) throw notExported(parts.at(-1));
  return answer;
}

/** Returns a word without case and accents; ß is ss in capitals. */
const fold = (word) => word.toUpperCase().toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

function completed(typed) {
  const found = exported.words.filter((word) => fold(word).startsWith(fold(typed)));
  const words = found.map((word) => {
    const { senses } = exported.answers[`/api/senses/${word}`];
    return { word, senses: senses.length, count: 0 };
  });
  const match = exported.words.find((word) => word === typed) ?? exported.words.find((word) => fold(word) === fold(typed));
  return { query: typed, match, words, closest: words.length ? [] : exported.words };
}

function compared(a, b) {
  const answer = exported.answers[`/api/compare/words/${a}/${b}`];
  if (answer) return answer;
  const swapped = exported.answers[`/api/compare/words/${b}/${a}`];
  if (!swapped) throw notExported([a, b].find((word) => !isShown(word)) ?? b);
  return {
    a: swapped.b,
    b: swapped.a,
    similarities: swapped.b.senses.map((_, column) => swapped.similarities.map((row) => row[column])),
    shared: swapped.shared.map((item) => ({
      word: item.word,
      a: item.b,
      b: item.a,
      similarity_a: item.similarity_b,
      similarity_b: item.similarity_a,
    })),
    only_a: swapped.only_b.map((item) => ({ word: item.word, a: item.b, similarity_a: item.similarity_b })),
    only_b: swapped.only_a.map((item) => ({ word: item.word, b: item.a, similarity_b: item.similarity_a })),
  };
}
