// Addresses: every state of the page is in the fragment, as #/view/part/part?name=value.

/** Returns {view, parts, query} of a fragment; a fragment that cannot be decoded is the start page. */
export function parse(fragment) {
  const [path, search = ""] = fragment.replace(/^#?\/?/, "").split(/\?(.*)/s);
  try {
    const [view, ...parts] = path.split("/").map(decodeURIComponent);
    return {
      view: view || "start",
      parts: parts.filter(Boolean),
      query: Object.fromEntries(new URLSearchParams(search)),
    };
  } catch {
    return { view: "start", parts: [], query: {} };
  }
}

/** Returns the fragment of a view. The second model stays chosen when a link is followed. */
export function href(view, parts = [], query = {}) {
  const all = { model: parse(location.hash).query.model, ...query };
  const pairs = Object.entries(all).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(pairs).toString();
  return `#/${[view, ...parts].map((part) => encodeURIComponent(part)).join("/")}${search ? `?${search}` : ""}`;
}

export function go(fragment) {
  location.hash = fragment;
}

/** Changes the address of the current entry of the history, without showing the view again. */
export function replace(fragment) {
  history.replaceState(history.state, "", fragment);
}
