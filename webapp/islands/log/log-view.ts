import { words } from "./dom";
import { Merged } from "./merged";
import { Reader } from "./reader";
import { Source } from "./source";
import { Times } from "./times";
import { ALL, type Task, Tools } from "./tools";
import { type Sight, Viewer } from "./viewer";

const KEPT = "sluice.log";
/** Attempt, index and try are numbers; the role, which may hold dots, is last. */
const PATH = /\/attempts\/(\d+)\/taskRoles\/([^/]+)\/taskIndex\/(\d+)\/attempts\/(\d+)\/log$/;
const PLACE = /^#log=(\d+)\.(\d+)\.(\d+)\.(.+)@(\d+)$/;

/**
 * The log of a task, live and whole, whatever its size. `src` is the log in the API, `mark` the offset of the line that explains the end, `tasks`
 * what else there is to choose as JSON; the words stand in data attributes. What the server put inside is shown until there is something better.
 */
class LogView extends HTMLElement {
  #viewer: Viewer | undefined;
  #tools: Tools | undefined;
  #src = "";
  #options = { times: false, wrap: true };

  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview") || this.#viewer) return;
    for (const left of this.querySelectorAll(":scope > .viewer")) left.remove();
    Object.assign(this.dataset, this.querySelector<HTMLElement>("data.words")?.dataset);
    this.#options = { ...this.#options, ...remembered() };
    this.addEventListener("log-ready", () => this.setAttribute("ready", ""), { once: true });
    this.addEventListener("keydown", this.#key);
    document.addEventListener("click", this.#outside);
    window.addEventListener("hashchange", this.#hash);
    document.addEventListener("log-time", this.#toTime);
    const place = placeOf(location.hash, this.getAttribute("src") ?? "");
    this.#show(place?.src ?? this.getAttribute("src") ?? "", place?.offset);
    if (place) {
      this.scrollIntoView({ block: "nearest" });
      this.#tellTime(place);
    }
  }

  /** An element that is only moved, as when the page about it is renewed, goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.#rest();
    });
  }

  #rest(): void {
    this.removeEventListener("keydown", this.#key);
    document.removeEventListener("click", this.#outside);
    window.removeEventListener("hashchange", this.#hash);
    document.removeEventListener("log-time", this.#toTime);
    this.#viewer?.close();
    this.#viewer = undefined;
    this.querySelector(":scope > .viewer")?.remove();
    this.removeAttribute("ready");
  }

  #show(src: string, target?: number): void {
    this.#src = src;
    this.#viewer?.close();
    this.querySelector(":scope > .viewer")?.remove();
    const tasks = this.#tasks();
    const viewer = new Viewer(this, src === ALL ? this.#merged(tasks) : this.#single(src));
    const tools = this.#toolsFor(viewer, tasks);
    const box = document.createElement("div");
    box.className = "viewer";
    box.append(tools.element, viewer.element);
    this.append(box);
    this.#viewer = viewer;
    this.#tools = tools;
    this.#apply();
    viewer.start(target);
  }

  #single(src: string): Sight {
    const source = new Source(src);
    const times = new Times(source, () => this.#viewer?.redraw());
    const feed = new Reader(source, times, () => this.#viewer?.changed());
    const mark = this.getAttribute("mark");
    return {
      feed,
      source,
      times,
      cause: mark && src === this.getAttribute("src") ? Number(mark) : undefined,
      name: () => undefined,
      permalink: (line) => address(src, line.from),
      searched: (search) => this.#tools?.found(search, feed.size),
    };
  }

  #merged(tasks: Task[]): Sight {
    const sources = tasks.map(({ src }) => new Source(src));
    const feed = new Merged(sources, () => this.#viewer?.changed());
    return {
      feed,
      source: undefined,
      times: undefined,
      cause: undefined,
      name: (line) => tasks[line.source]?.label,
      permalink: (line) => address(tasks[line.source]?.src ?? "", line.from),
      searched: () => undefined,
    };
  }

  #toolsFor(viewer: Viewer, tasks: Task[]): Tools {
    const { source } = viewer.sight;
    const tools = new Tools(words(this), this.dataset.icons ?? "", {
      search: (query) => viewer.find(query),
      step: (by) => viewer.step(by),
      times: (on) => this.#option({ times: on }),
      wrap: (on) => this.#option({ wrap: on }),
      toTime: async (at) => source && viewer.goTo(await source.offsetAt(at), "time"),
      toLine: async (line) => source && viewer.goTo(await source.offsetOfLine(line), "time"),
      choose: (value) => {
        history.replaceState(history.state, "", location.pathname + location.search);
        this.#show(value);
      },
    });
    if (tasks.length > 1) tools.tasks(tasks, this.#src);
    tools.whole(source !== undefined);
    if (source) tools.downloads(source.address({ download: 1 }), source.address({}, ".gz"));
    return tools;
  }

  #tasks(): Task[] {
    return JSON.parse(this.getAttribute("tasks") ?? "[]") as Task[];
  }

  #option(change: Partial<{ times: boolean; wrap: boolean }>): void {
    Object.assign(this.#options, change);
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.#options));
    } catch {
      // storage may be full or forbidden; the choice then lasts as long as the page
    }
    this.#apply();
  }

  #apply(): void {
    const { times, wrap } = this.#options;
    this.#tools?.switches(this.#options);
    this.toggleAttribute("wrap", wrap);
    this.toggleAttribute("times", times);
    const known = this.#viewer?.sight.times;
    if (known) known.wanted = times;
    this.#viewer?.redraw();
  }

  #hash = (): void => {
    const place = placeOf(location.hash, this.getAttribute("src") ?? "");
    if (!place) return;
    if (place.src !== this.#src) this.#show(place.src, place.offset);
    else this.#viewer?.goTo(place.offset, "target");
    this.#tellTime(place);
  };

  /** A chart beside it was clicked. */
  #toTime = async (event: Event): Promise<void> => {
    const { src, at } = (event as CustomEvent<{ src: string; at: number }>).detail;
    if (src !== this.#src && !this.#tasks().some((task) => task.src === src)) return;
    if (src !== this.#src) this.#show(src);
    const source = this.#viewer?.sight.source;
    if (source) this.#viewer?.goTo(await source.offsetAt(at), "time");
  };

  /** A line was marked: when it was printed, for the charts beside it. */
  async #tellTime({ src, offset }: { src: string; offset: number }): Promise<void> {
    const source = this.#viewer?.sight.source;
    if (!source) return;
    const points = await source.times(offset, offset + 1, 2).catch(() => []);
    const at = points.find(([from]) => from >= offset)?.[1] ?? points.at(-1)?.[1];
    if (at !== undefined) document.dispatchEvent(new CustomEvent("log-place", { detail: { src, at } }));
  }

  /** A menu closes when something else is clicked. */
  #outside = (event: Event): void => {
    for (const menu of this.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  };

  #key = (event: KeyboardEvent): void => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    const find = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f";
    if (find || (event.key === "/" && !typing)) {
      event.preventDefault();
      this.#tools?.input.focus();
      this.#tools?.input.select();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.#keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  readonly #keys: Record<string, () => void> = {
    n: () => this.#viewer?.step(1),
    N: () => this.#viewer?.step(-1),
    g: () => this.#viewer?.goTo(0, "strip"),
    G: () => this.#viewer?.toEnd(),
    Home: () => this.#viewer?.goTo(0, "strip"),
    End: () => this.#viewer?.toEnd(),
    f: () => this.#viewer?.toEnd(),
    w: () => this.#tools?.flip("wrap"),
    t: () => this.#tools?.flip("times"),
  };
}

function address(src: string, offset: number): string | undefined {
  const [, attempt, role, index, tries] = PATH.exec(src) ?? [];
  return role && `${location.pathname}${location.search}#log=${attempt}.${index}.${tries}.${role}@${offset}`;
}

/** Where an address points: in which log of this job, and where in it. */
function placeOf(hash: string, src: string): { src: string; offset: number } | undefined {
  const [, attempt, index, tries, role, offset] = PLACE.exec(hash) ?? [];
  if (!offset || !PATH.test(src)) return undefined;
  const path = `/attempts/${attempt}/taskRoles/${role}/taskIndex/${index}/attempts/${tries}/log`;
  return { src: src.replace(PATH, path), offset: Number(offset) };
}

function remembered(): Partial<{ times: boolean; wrap: boolean }> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<{ times: boolean; wrap: boolean }>;
  } catch {
    return {};
  }
}

customElements.define("log-view", LogView);
