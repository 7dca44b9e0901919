import { apply } from "./streams";

const SUBPROTOCOL = "sluice.live.v1";
const SIGNED_OUT = 4401;
const PATIENCE = 3_000;
const FIRST_RETRY = 400;
const LONGEST_RETRY = 20_000;
const TICK = 5_000;
const CURSOR = /<live-cursor value="([^"]*)"><\/live-cursor>\s*$/;

/**
 * Keeps a page current: one WebSocket, whose frames are Turbo Streams and the cursor to go on from. However a connection
 * ends, the next one asks for everything since that cursor, so that nothing depends on never missing a frame. The cursor is
 * kept in `src`, where Turbo's cache keeps it together with the page it belongs to.
 */
class LiveUpdates extends HTMLElement {
  #socket: WebSocket | undefined;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #complaint: ReturnType<typeof setTimeout> | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  #lastTick = 0;

  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview")) return;
    this.replaceChildren();
    document.addEventListener("visibilitychange", this.#seen);
    window.addEventListener("online", this.#anew);
    window.addEventListener("offline", this.#gone);
    window.addEventListener("pageshow", this.#shown);
    window.addEventListener("pagehide", this.#rest);
    this.#lastTick = Date.now();
    this.#clock = setInterval(this.#tick, TICK);
    this.#connect();
  }

  disconnectedCallback(): void {
    document.removeEventListener("visibilitychange", this.#seen);
    window.removeEventListener("online", this.#anew);
    window.removeEventListener("offline", this.#gone);
    window.removeEventListener("pageshow", this.#shown);
    window.removeEventListener("pagehide", this.#rest);
    clearInterval(this.#clock);
    this.#rest();
  }

  #connect(): void {
    this.#drop();
    this.#complaint ??= setTimeout(() => this.#complain(), PATIENCE);
    const address = new URL(this.getAttribute("src") ?? "", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address, SUBPROTOCOL);
    socket.onopen = () => this.#opened();
    socket.onmessage = (event: MessageEvent<string>) => this.#heard(event.data);
    socket.onclose = (event) => this.#closed(event.code);
    this.#socket = socket;
  }

  #opened(): void {
    clearTimeout(this.#complaint);
    this.#complaint = undefined;
    this.removeAttribute("disconnected");
    this.replaceChildren();
  }

  #heard(message: string): void {
    this.#failures = 0;
    const cursor = CURSOR.exec(message);
    apply(cursor ? message.slice(0, cursor.index) : message);
    if (!cursor) return;
    const address = new URL(this.getAttribute("src") ?? "", location.href);
    address.searchParams.set("since", cursor[1] ?? "");
    this.setAttribute("src", address.pathname + address.search);
  }

  #closed(code: number): void {
    this.#socket = undefined;
    if (code === SIGNED_OUT) {
      this.#signIn();
      return;
    }
    this.#failures++;
    this.#complaint ??= setTimeout(() => this.#complain(), PATIENCE);
    const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1));
    // jitter: when a gateway restarts, not all of its pages come back in the same instant
    this.#retry = setTimeout(() => this.#again(), pause * (0.5 + Math.random() / 2));
  }

  /** A refused upgrade does not say why; from the third on, the page itself is asked whether it still knows us. */
  async #again(): Promise<void> {
    if (this.#failures >= 3) {
      const asked = fetch(location.href, { redirect: "manual", headers: { Accept: "text/html" } });
      const page = await asked.catch(() => undefined);
      if (page?.type === "opaqueredirect") return this.#signIn();
    }
    if (this.isConnected && !this.#socket) this.#connect();
  }

  #signIn(): void {
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }

  #complain(): void {
    const words = document.createElement("p");
    words.setAttribute("role", "status");
    words.textContent = this.getAttribute("lost") ?? "";
    this.setAttribute("disconnected", "");
    this.replaceChildren(words);
  }

  /** A connection may look open long after a sleep or a change of network has cut it: it is not trusted, but replaced. */
  #anew = (): void => {
    this.#failures = 0;
    this.#connect();
  };

  #gone = (): void => {
    this.#socket?.close();
  };

  #seen = (): void => {
    if (document.visibilityState === "visible") this.#tick();
  };

  #tick = (): void => {
    const slept = Date.now() - this.#lastTick > 4 * TICK;
    this.#lastTick = Date.now();
    if (slept) this.#anew();
  };

  #shown = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#anew();
  };

  #rest = (): void => {
    clearTimeout(this.#complaint);
    this.#complaint = undefined;
    this.#drop();
  };

  #drop(): void {
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

customElements.define("live-updates", LiveUpdates);
