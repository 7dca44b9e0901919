import { addressOf, type Landing, landingOf } from "./address";
import { CHART, type ChartEvent, tellCharts } from "./charts";
import { words } from "./dom";
import { type Act, actions } from "./keyboard";
import { keyTable } from "./keys";
import { legend } from "./legend";
import { type Choice, lookAt } from "./look";
import { MOST } from "./merged";
import { ALL, type Options, type Task, Tools } from "./tools";
import { Viewer } from "./viewer";

const KEPT = "sluice.log";

/**
 * The log of a task, live and whole, whatever its size. `src` is the log in the API, `mark` the offset of the line that explains the end, `tasks`
 * what else there is to choose as JSON; the words stand in data attributes. What the server put inside is shown until there is something better.
 */
class LogView extends HTMLElement {
  #viewer: Viewer | undefined;
  #tools: Tools | undefined;
  #src = "";
  #chosen: Task[] = [];
  #options: Options = { times: false, wrap: true, large: false };
  #keys: Record<string, () => void> = {};

  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview") || this.#viewer) return;
    for (const left of this.querySelectorAll(":scope > .viewer")) left.remove();
    Object.assign(this.dataset, this.querySelector<HTMLElement>("data.words")?.dataset);
    this.#options = { ...this.#options, ...remembered(), large: false };
    this.#chosen = this.#tasks.slice(0, MOST);
    this.#keys = actions(this.#act);
    this.addEventListener("log-ready", () => this.setAttribute("ready", ""), { once: true });
    this.addEventListener("keydown", this.#key);
    document.addEventListener("click", this.#outside);
    window.addEventListener("hashchange", this.#hash);
    document.addEventListener(CHART, this.#toTime);
    const landing = landingOf(location.hash, this.#own);
    this.#land(landing ?? { src: this.#own, merged: false });
    if (landing) this.scrollIntoView({ block: "nearest" });
    tellCharts(landing);
  }

  /** An element that is only moved, as when the page about it is renewed, goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.#rest();
    });
  }

  get #own(): string {
    return this.getAttribute("src") ?? "";
  }

  get #tasks(): Task[] {
    return JSON.parse(this.getAttribute("tasks") ?? "[]") as Task[];
  }

  /** Of a job of very many tasks not all can be chosen here. */
  get #total(): number {
    return Number(this.getAttribute("total") ?? 0);
  }

  #rest(): void {
    this.removeEventListener("keydown", this.#key);
    document.removeEventListener("click", this.#outside);
    window.removeEventListener("hashchange", this.#hash);
    document.removeEventListener(CHART, this.#toTime);
    this.#viewer?.close();
    this.#viewer = undefined;
    this.querySelector(":scope > .viewer")?.remove();
    this.removeAttribute("ready");
    this.#option({ large: false });
  }

  /** Shows what an address points at: one log, or all of them at a row of one. */
  #land({ src, offset, merged }: Landing): void {
    if (!merged) {
      this.#show(src, offset);
      return;
    }
    const task = this.#tasks.find((known) => known.src === src);
    if (task && !this.#chosen.includes(task)) this.#chosen = [task, ...this.#chosen].slice(0, MOST);
    this.#show(ALL, offset, src);
  }

  #show(src: string, target?: number, of = src): void {
    this.#src = src;
    this.#viewer?.close();
    this.querySelector(":scope > .viewer")?.remove();
    const all = this.#tasks;
    const single = all.filter((task) => task.src === src);
    const tasks = src === ALL ? this.#chosen : single.length > 0 ? single : [{ src, label: "" }];
    const choice: Choice = { tasks, merged: src === ALL, own: this.#own, mark: this.getAttribute("mark") };
    const sight = lookAt(choice, {
      changed: () => this.#viewer?.changed(),
      timed: () => (this.#options.times ? this.#viewer?.redraw() : undefined),
      found: () => this.#viewer?.found(),
      address: (of, offset) => addressOf(of, offset, src === ALL),
    });
    const viewer = new Viewer(this, sight, () => this.#tools?.search.found(sight.search));
    const tools = this.#toolsFor(viewer, tasks);
    const box = document.createElement("div");
    box.className = "viewer";
    box.append(tools.element);
    if (src === ALL) box.append(legend(all, tasks, words(this), (chosen) => this.#toggle(chosen), this.#total));
    box.append(viewer.element);
    this.append(box);
    const sought = this.#tools?.search;
    this.#viewer = viewer;
    this.#tools = tools;
    if (sought) tools.search.resume(sought);
    this.#apply();
    const source = tasks.findIndex((task) => task.src === of);
    viewer.start(target === undefined || source < 0 ? undefined : { source, offset: target });
  }

  #toolsFor(viewer: Viewer, tasks: Task[]): Tools {
    const { sources, merged, feed, nameOf } = viewer.sight;
    const tools = new Tools(words(this), this.dataset.icons ?? "", {
      search: (query) => viewer.find(query),
      step: (by) => viewer.step(by),
      option: (change) => this.#option(change),
      toTime: (at) => viewer.goTo({ at }, "target"),
      toLine: (line) => viewer.goTo({ line }, "target"),
      help: () => this.#help(),
      nameOf,
      shownTime: async () => {
        const { first } = viewer;
        return first && (feed.timeOf(first) ?? sources[first.source]?.timeAt(first.from).catch(() => undefined));
      },
      merge: (all) => {
        history.replaceState(history.state, "", location.pathname + location.search);
        this.#show(all ? ALL : this.#own);
      },
    });
    if (this.#tasks.length > 1) tools.merge(merged);
    tools.downloads(tasks.map(({ label, src }) => ({ label, raw: `${src}?download=1`, compressed: `${src}.gz` })));
    return tools;
  }

  /** Takes a task into the merged log, or out of it; the last one stays. */
  #toggle(src: string): void {
    const without = this.#chosen.filter((task) => task.src !== src);
    const all = this.#tasks;
    if (without.length < this.#chosen.length) this.#chosen = without.length > 0 ? without : this.#chosen;
    else this.#chosen = all.filter((task) => task.src === src || this.#chosen.some((known) => known.src === task.src));
    this.#show(ALL);
    this.querySelector<HTMLElement>(`.log-chip[data-src="${CSS.escape(src)}"]`)?.focus();
  }

  #option(change: Partial<Options>): void {
    this.#options = { ...this.#options, ...change };
    try {
      const { times, wrap } = this.#options;
      localStorage.setItem(KEPT, JSON.stringify({ times, wrap }));
    } catch {
      // storage may be full or forbidden; the choice then lasts as long as the page
    }
    this.#apply();
  }

  #apply(): void {
    const { times, wrap, large } = this.#options;
    this.#tools?.switches(this.#options);
    this.toggleAttribute("wrap", wrap);
    this.toggleAttribute("times", times);
    this.toggleAttribute("large", large);
    document.documentElement.toggleAttribute("data-log-large", large);
    if (this.#viewer) this.#viewer.sight.feed.timed = times;
    this.#viewer?.redraw();
  }

  #help(): void {
    this.querySelector("dialog.log-keys")?.remove();
    const dialog = keyTable(words(this));
    dialog.addEventListener("close", () => {
      dialog.remove();
      this.#viewer?.focus();
    });
    this.querySelector(":scope > .viewer")?.append(dialog);
    dialog.showModal();
  }

  #hash = (): void => {
    const landing = landingOf(location.hash, this.#own);
    if (landing?.offset !== undefined && !landing.merged && landing.src === this.#src)
      this.#viewer?.goTo({ source: 0, offset: landing.offset }, "target");
    else if (landing) this.#land(landing);
    tellCharts(landing);
  };

  /** A chart beside it was clicked. */
  #toTime = (event: Event): void => {
    const { src, at } = (event as ChartEvent).detail;
    const known = src === this.#src || this.#tasks.some((task) => task.src === src);
    if (!known) return;
    if (src !== this.#src && this.#src !== ALL) this.#show(src);
    this.#viewer?.goTo({ at }, "target");
  };

  /** A menu closes when something else is clicked. */
  #outside = (event: Event): void => {
    for (const menu of this.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  };

  #key = (event: KeyboardEvent): void => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    const control = event.ctrlKey || event.metaKey;
    const find = control && event.key.toLowerCase() === "f";
    if (event.key === "Escape" && this.#options.large) this.#option({ large: false });
    else if (!find && (typing || control || event.altKey)) return;
    else if (find) this.#tools?.search.focus();
    else if (this.#keys[event.key]) this.#keys[event.key]?.();
    else return;
    event.preventDefault();
  };

  readonly #act: Act = {
    search: () => this.#tools?.search.focus(),
    step: (by) => this.#viewer?.step(by),
    toBegin: () => this.#viewer?.toBegin(),
    toEnd: () => this.#viewer?.toEnd(),
    toCause: () => this.#viewer?.toCause(),
    link: () => this.#viewer?.link(),
    goTo: () => this.#tools?.goTo(),
    flip: (which) => this.#tools?.flip(which),
    help: () => this.#help(),
  };
}

function remembered(): Partial<Options> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Options>;
  } catch {
    return {};
  }
}

customElements.define("log-view", LogView);
