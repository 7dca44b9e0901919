/** What the gateway said instead of bytes: its sentence is meant for whoever looks. */
export class Refusal extends Error {
  readonly status: number;
  /** Milliseconds after which it may be asked again, where the gateway said so. */
  readonly after: number | undefined;

  constructor(status: number, message: string, after?: number) {
    super(message);
    this.status = status;
    this.after = after;
  }

  /** Another time it may work. */
  get passing(): boolean {
    return this.status === 429 || this.status >= 500;
  }

  /** It only was not its turn, or it took longer than one request may. */
  get again(): boolean {
    return this.status === 429 || this.status === 503 || this.status === 504;
  }
}
