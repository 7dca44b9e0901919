import { Holes } from "./holes";
import type { Hole } from "./line";
import { Refusal } from "./refusal";
import type { Piece } from "./ring";
import { Turns } from "./turns";

export interface State {
  readonly size: number;
  readonly state: "running" | "ended";
  readonly exitCode: number | null;
  readonly gaps: Hole[];
}

/** The turns of everything that one view reads through on the gateway: searches go on for long, and keep no line waiting for its number. */
export const turnsOfView = () => ({ searches: new Turns(2), lines: new Turns(1) });

/** The log of one task attempt, asked over HTTP. */
export class Source {
  readonly path: string;
  readonly holes = new Holes();
  readonly turns: ReturnType<typeof turnsOfView>;

  constructor(path: string, turns = turnsOfView()) {
    this.path = path;
    this.turns = turns;
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
    return (await this.#lines<{ line: number }>({ offset }, signal)).line;
  }

  /** Where a line begins; where there is none with this number, how many there are. */
  async placeOfLine(line: number): Promise<{ offset: number } | { last: number }> {
    const { offset } = await this.#lines<{ offset: number }>({ line });
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
    const after = Number.parseInt(answer.headers.get("Retry-After") ?? "", 10);
    throw new Refusal(answer.status, said?.message ?? answer.statusText, after >= 0 ? after * 1000 : undefined);
  }

  /** Its lines have to be counted, which takes a while the first time. */
  #lines<T>(query: Record<string, number>, signal?: AbortSignal): Promise<T> {
    return this.turns.lines.run(() => this.json<T>(query, "/lines", signal), signal);
  }
}
