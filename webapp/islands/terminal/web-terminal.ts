import { FitAddon } from "@xterm/addon-fit";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { obeyPolicy } from "./policy";
import { themeOf } from "./theme";
import { type End, Wire } from "./wire";

const ROWS_KEPT = 10_000;
const NARROW = 600;
/** What keys send together with Ctrl are the lowest five bits of what they send alone. */
const CTRL = 0x1f;
const DETAILED = new Set(["limit", "engine"]);
/** A task that does not run is tried again so often, for half an hour. */
const PAUSE = 4_000;
const MOST_TRIES = 450;

/** A shell in a running task. The line to it may break and come back; what was on the screen stays, and what was missed is caught up with. */
class WebTerminal extends HTMLElement {
  #terminal: Terminal | undefined;
  #wire: Wire | undefined;
  #gone = new AbortController();
  #ctrl: HTMLButtonElement | null = null;
  #tries = 0;
  #next: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    if (this.#terminal) return;
    this.#gone = new AbortController();
    const place = this.querySelector<HTMLElement>(".place");
    if (!place) return;
    const terminal = this.#open(place);
    const wire = new Wire(this.getAttribute("src") ?? "", {
      opened: (fresh) => this.#opened(fresh),
      lost: () => this.#tell("lost"),
      ended: (end) => this.#ended(end),
      bytes: (piece, drawn) => terminal.write(piece, drawn),
      size: () => terminal,
    });
    this.#wire = wire;
    terminal.onData((text) => wire.type(new TextEncoder().encode(this.#pressed(text))));
    terminal.onBinary((text) => wire.type(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => wire.resize(cols, rows));
    this.#touch(terminal);
    window.addEventListener("online", () => wire.isOpen || wire.connect(), { signal: this.#gone.signal });
    wire.connect();
    terminal.focus();
  }

  disconnectedCallback(): void {
    this.#gone.abort();
    clearTimeout(this.#next);
    this.#wire?.close();
    this.#terminal?.dispose();
    this.#terminal = undefined;
  }

  #open(place: HTMLElement): Terminal {
    const terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      fontFamily: getComputedStyle(place).fontFamily,
      fontSize: innerWidth < NARROW ? 12 : 14,
      minimumContrastRatio: 4.5,
      scrollback: ROWS_KEPT,
      theme: themeOf(place),
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = "11";
    terminal.loadAddon(new WebLinksAddon((_, address) => window.open(address, "_blank", "noopener,noreferrer")));
    terminal.open(place);
    terminal.textarea?.setAttribute("aria-label", this.dataset.label ?? "");
    terminal.attachCustomKeyEventHandler((event) => this.#ours(event, terminal));
    fit.fit();
    const sizes = new ResizeObserver(() => fit.fit());
    sizes.observe(place);
    this.#gone.signal.addEventListener("abort", () => sizes.disconnect());
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change",
      () => {
        terminal.options.theme = themeOf(place);
      },
      { signal: this.#gone.signal },
    );
    this.#terminal = terminal;
    return terminal;
  }

  /** Ctrl+Shift+C copies, as in other terminals; browsers have something else there. Ctrl+Shift+V is theirs. */
  #ours(event: KeyboardEvent, terminal: Terminal): boolean {
    if (!event.ctrlKey || !event.shiftKey || event.code !== "KeyC") return true;
    if (event.type === "keydown" && terminal.hasSelection()) document.execCommand("copy");
    event.preventDefault();
    return false;
  }

  /** Screens without a keyboard lack the keys that shells live on. */
  #touch(terminal: Terminal): void {
    const keys = this.querySelector<HTMLElement>(".keys");
    if (!keys) return;
    keys.hidden = !matchMedia("(pointer: coarse)").matches;
    this.#ctrl = keys.querySelector("[value=ctrl]");
    keys.addEventListener("pointerdown", (event) => event.preventDefault(), { signal: this.#gone.signal });
    keys.addEventListener(
      "click",
      ({ target }) => {
        const key = target instanceof Element ? target.closest("button") : null;
        if (!key) return;
        if (key === this.#ctrl) key.setAttribute("aria-pressed", String(key.ariaPressed !== "true"));
        else terminal.input(key.value);
        terminal.focus();
      },
      { signal: this.#gone.signal },
    );
  }

  #pressed(text: string): string {
    if (this.#ctrl?.ariaPressed !== "true" || text.length !== 1) return text;
    this.#ctrl.setAttribute("aria-pressed", "false");
    return String.fromCharCode(text.toUpperCase().charCodeAt(0) & CTRL);
  }

  #opened(fresh: boolean): void {
    this.#tries = 0;
    if (fresh) this.#terminal?.reset();
    const { cols, rows } = this.#terminal ?? { cols: 80, rows: 24 };
    this.#wire?.resize(cols, rows);
    this.#tell("open");
  }

  #ended({ reason, detail, exitCode }: End): void {
    const waits = reason === "task" && this.#waits();
    const known = reason === "task" && !waits ? "waited" : this.dataset[reason] === undefined ? "gone" : reason;
    this.#tell(known, DETAILED.has(known) ? detail : String(exitCode ?? ""));
    if (waits || reason === "over") return;
    const again = this.querySelector<HTMLButtonElement>(".again");
    if (!again) return;
    again.textContent = (reason === "taken" ? this.dataset.here : this.dataset.new) ?? "";
    again.hidden = false;
    again.onclick = () => {
      this.#tell("connecting");
      if (reason !== "taken") this.#terminal?.reset();
      this.#wire?.connect(reason !== "taken");
      this.#terminal?.focus();
    };
  }

  /** For its task to run; the answer is whether it goes on with that. */
  #waits(): boolean {
    if (++this.#tries > MOST_TRIES) {
      this.#tries = 0;
      return false;
    }
    clearTimeout(this.#next);
    this.#next = setTimeout(() => this.#wire?.connect(true), PAUSE);
    return true;
  }

  #tell(state: string, detail = ""): void {
    this.setAttribute("state", state);
    const again = this.querySelector<HTMLButtonElement>(".again");
    if (again) again.hidden = true;
    const word = this.querySelector(".word");
    if (word) word.textContent = (this.dataset[state] ?? "").replace("%s", detail);
  }
}

obeyPolicy();
customElements.define("web-terminal", WebTerminal);
