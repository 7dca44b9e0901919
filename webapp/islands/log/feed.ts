import type { Lines } from "./lines";
import type { Refusal } from "./source";
import type { Way } from "./stream";

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
  readonly refusal: Refusal | undefined;
  /** The gateway has said how things stand. */
  readonly greeted: boolean;
  open(): void;
  close(): void;
  work(budget: number): boolean;
  earlier(): Promise<boolean>;
  later(): Promise<boolean>;
  toEnd(): void;
}
