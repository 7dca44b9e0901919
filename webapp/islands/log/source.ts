import { Holes } from "./holes";
import type { Hole } from "./line";
import type { Piece } from "./ring";

/** What the gateway said instead of bytes: its sentence is meant for whoever looks. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Another time it may work. */
  get passing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

export interface State {
  readonly size: number;
  readonly state: "running" | "ended";
  readonly exitCode: number | null;
  readonly gaps: Hole[];
}

/** The log of one task attempt, asked over HTTP. */
export class Source {
  readonly path: string;
  readonly holes = new Holes();

  constructor(path: string) {
    this.path = path;
  }

  address(query: Record<string, string | number> = {}, suffix = ""): string {
    const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
    return `${this.path}${suffix}${words ? `?${words}` : ""}`;
  }

  /** Bytes from one offset on, as many as there are before the other one or before a hole. */
  async range(from: number, to: number, signal?: AbortSignal): Promise<Piece> {
    if (to <= from) return { offset: from, bytes: new Uint8Array() };
    const answer = await this.get({}, "", signal, { Range: `bytes=${from}-${to - 1}` });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    signal?.throwIfAborted();
    return { offset: from, bytes };
  }

  /** How it stands; fails with the gateway's sentence where there is no such log. */
  async state(signal?: AbortSignal): Promise<State> {
    const state = await this.json<State>({}, "/state", signal);
    this.holes.add(...state.gaps);
    return state;
  }

  async lineAt(offset: number, signal?: AbortSignal): Promise<number> {
    const { line } = await this.json<{ line: number }>({ offset }, "/lines", signal);
    return line;
  }

  /** Where a line begins; where there is none with this number, how many there are. */
  async placeOfLine(line: number): Promise<{ offset: number } | { last: number }> {
    const { offset } = await this.json<{ offset: number }>({ line }, "/lines");
    const { size } = await this.state();
    if (offset < size || size === 0) return { offset };
    return { last: await this.lineAt(size - 1) };
  }

  async offsetAt(time: number): Promise<number> {
    return (await this.json<{ offset: number }>({ at: time }, "/times")).offset;
  }

  /** When a byte was there at the latest. */
  async timeAt(offset: number): Promise<number> {
    const { from, until } = await this.json<{ from: number | null; until: number | null }>({ offset }, "/times");
    return until ?? from ?? Date.now();
  }

  /** Times between two offsets: "at that time there were so many bytes". */
  async times(from: number, to: number, points: number, signal?: AbortSignal): Promise<[number, number][]> {
    return (await this.json<{ points: [number, number][] }>({ from, to, points }, "/times", signal)).points;
  }

  async json<T>(query: Record<string, string | number>, suffix: string, signal?: AbortSignal): Promise<T> {
    return (await this.get(query, suffix, signal)).json() as Promise<T>;
  }

  async get(
    query: Record<string, string | number>,
    suffix = "",
    signal?: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const asked = { cache: "no-store", headers, ...(signal ? { signal } : {}) } as const;
    const answer = await fetch(this.address(query, suffix), asked);
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => undefined)) as { message?: string } | undefined;
    throw new Refusal(answer.status, said?.message ?? answer.statusText);
  }
}
