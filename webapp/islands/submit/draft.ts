import { MASK, protocolOf } from "./fields";
import { JobText } from "./job-text";

const LARGEST = 1_000_000;

/**
 * What somebody was writing, kept in this tab until it is submitted. Secrets are left out: whoever sits here next could
 * look them up. While a text with secrets can not be read, the draft stays as it was.
 */
export class Draft {
  readonly #key: string;

  constructor(user: string) {
    this.#key = `sluice.draft.${user}.${location.search}`;
  }

  kept(): string | undefined {
    return sessionStorage.getItem(this.#key) ?? undefined;
  }

  keep(text: string): void {
    const safe = text.length > LARGEST ? undefined : withoutSecrets(text);
    if (safe === undefined) return;
    try {
      sessionStorage.setItem(this.#key, safe);
    } catch {
      // the tab's storage is full: the page still has the text
    }
  }

  forget(): void {
    sessionStorage.removeItem(this.#key);
  }
}

function withoutSecrets(text: string): string | undefined {
  const job = JobText.read(text);
  if (!job) return /^\s*["']?(secrets|password)["']?\s*:/m.test(text) ? undefined : text;
  if (protocolOf(job) === 1) return text;
  let safe = job;
  const change = (next: string) => {
    safe = JobText.read(next) ?? safe;
  };
  if (safe.at(["secrets"]) !== undefined) change(safe.set(["secrets"], MASK));
  const needs = safe.at(["prerequisites"]);
  for (let index = 0; Array.isArray(needs) && index < needs.length; index++) {
    const password = safe.at(["prerequisites", index, "auth", "password"]);
    if (typeof password === "string" && !password.includes("$secrets"))
      change(safe.set(["prerequisites", index, "auth", "password"], MASK));
  }
  return safe.text;
}

/** Another text is another submission. A plain http address has no crypto.randomUUID. */
export function newKey(): string {
  const digits = crypto.getRandomValues(new Uint8Array(16));
  return [...digits].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
