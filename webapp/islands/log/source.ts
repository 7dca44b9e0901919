import type { Hole } from "./line";
import type { Piece } from "./ring";

/** What the gateway said instead of bytes: its sentence is meant for whoever looks. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Range extends Piece {
  readonly size: number;
  readonly ended: boolean;
}

/** The log of one task attempt, asked over HTTP. */
export class Source {
  readonly path: string;
  #gaps: Hole[] = [];

  constructor(path: string) {
    this.path = path;
  }

  get gaps(): readonly Hole[] {
    return this.#gaps;
  }

  /** Adds holes that are not known yet. */
  missing(...holes: Hole[]): void {
    for (const hole of holes)
      if (!this.#gaps.some((known) => known.from === hole.from && known.to === hole.to)) this.#gaps.push(hole);
    this.#gaps.sort((one, other) => one.from - other.from);
  }

  address(query: Record<string, string | number> = {}, suffix = ""): string {
    const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
    return `${this.path}${suffix}${words ? `?${words}` : ""}`;
  }

  async range(from: number, to: number, signal?: AbortSignal): Promise<Range> {
    const answer = await this.get({ offset: from, length: Math.max(0, to - from) }, "", signal);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    signal?.throwIfAborted();
    return { offset: number(answer, "X-Log-Offset") ?? from, bytes, ...state(answer) };
  }

  /** Whether it is there at all; otherwise this fails with the gateway's sentence. */
  async look(): Promise<{ size: number; ended: boolean }> {
    return state(await this.get({ tail: 0 }));
  }

  async lineAt(offset: number, signal?: AbortSignal): Promise<number> {
    const { line } = await this.json<{ line: number }>({ offset }, "/lines", signal);
    return line;
  }

  async offsetOfLine(line: number): Promise<number> {
    return (await this.json<{ offset: number }>({ line }, "/lines")).offset;
  }

  async offsetAt(time: number): Promise<number> {
    return (await this.json<{ offset: number }>({ at: time }, "/times")).offset;
  }

  /** Times between two offsets: "at that time there were so many bytes". */
  async times(from: number, to: number, points: number, signal?: AbortSignal): Promise<[number, number][]> {
    return (await this.json<{ points: [number, number][] }>({ from, to, points }, "/times", signal)).points;
  }

  async json<T>(query: Record<string, string | number>, suffix: string, signal?: AbortSignal): Promise<T> {
    return (await this.get(query, suffix, signal)).json() as Promise<T>;
  }

  async get(query: Record<string, string | number>, suffix = "", signal?: AbortSignal): Promise<Response> {
    const answer = await fetch(this.address(query, suffix), { cache: "no-store", ...(signal ? { signal } : {}) });
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => undefined)) as { message?: string } | undefined;
    throw new Refusal(answer.status, said?.message ?? answer.statusText);
  }
}

function number(answer: Response, header: string): number | undefined {
  const value = answer.headers.get(header);
  return value === null || value === "" ? undefined : Number(value);
}

function state(answer: Response): { size: number; ended: boolean } {
  return { size: number(answer, "X-Log-Size") ?? 0, ended: answer.headers.get("X-Log-State") === "ended" };
}
