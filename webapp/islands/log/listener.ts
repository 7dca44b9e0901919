import type { Hole } from "./line";
import type { Refusal } from "./refusal";
import type { Source, State } from "./source";

const SUBPROTOCOL = "sluice.logs.v1";
/** So much of a log is read at first. */
export const TAIL = 64 << 10;
export const PATIENCE = 5_000;
export const LONGEST_RETRY = 15_000;

export type Way = "connecting" | "socket" | "polling" | "lost";

export interface Hello extends State {
  readonly offset: number;
}

/** What a stream tells. Offsets rise without hole or overlap, except where it says so. */
export interface Listener {
  hello(hello: Hello): void;
  bytes(offset: number, bytes: Uint8Array): void;
  gap(hole: Hole): void;
  skipped(from: number, to: number): void;
  time(offset: number, at: number): void;
  ended(size: number, exitCode: number | null): void;
  way(way: Way): void;
  refused(refusal: Refusal): void;
}

export function socketOf(source: Source, query: Record<string, string | number>): WebSocket {
  const address = new URL(source.address(query), location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, SUBPROTOCOL);
  socket.binaryType = "arraybuffer";
  return socket;
}

export function signIn(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}
