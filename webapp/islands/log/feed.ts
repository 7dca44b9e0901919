import type { Line } from "./line";
import type { Lines } from "./lines";
import type { Way } from "./listener";
import type { Refusal } from "./refusal";

/** A byte in one of the logs that are shown. */
export interface Place {
  readonly source: number;
  readonly offset: number;
}

/** Whether a place lies in a row. */
export function holds(line: Line, place: Place | undefined): boolean {
  if (place?.source !== line.source) return false;
  return place.offset >= line.from && (place.offset < line.to || place.offset === line.from);
}

/** One of several logs that the gateway did not give. */
export interface Absence {
  readonly source: number;
  readonly refusal: Refusal;
}

/** Rows that can be gone through and that grow: of one log, or of several merged. */
export interface Feed {
  readonly lines: Lines;
  /** Bytes in all. */
  readonly size: number;
  /** Newlines that have come since nobody follows. */
  missed: number;
  readonly skippedBytes: number;
  following: boolean;
  /** Its rows reach to the newest byte. */
  readonly attached: boolean;
  readonly end: { size: number; exitCode: number | null } | undefined;
  readonly status: Way;
  /** Why there is nothing at all. */
  readonly refusal: Refusal | undefined;
  /** Of several logs those that are not there, though others are. */
  readonly absent: readonly Absence[];
  /** The gateway has said how things stand. */
  readonly greeted: boolean;
  readonly gone: { bytes: number; maybe: boolean };
  open(): void;
  close(): void;
  /** Makes rows of what has come, for so many milliseconds; tells whether there is more. */
  work(budget: number): boolean;
  earlier(): Promise<boolean>;
  later(): Promise<boolean>;
  toEnd(): void;
  /** Goes to a place, and tells the row that is there; undefined if something else came first. */
  jump(place: Place): Promise<Line | undefined>;
  jumpToTime(at: number): Promise<Line | undefined>;
  numberOf(line: Line): number | undefined;
  /** When it was there, in milliseconds since 1970, where that is known. */
  timeOf(line: Line): number | undefined;
  /** Whether times are shown, so that they have to be known. */
  timed: boolean;
}
