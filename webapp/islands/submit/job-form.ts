import { type Field, MASK, type Pair, pairs, pairsWritten, protocolOf, rolesOf, shown, written } from "./fields";
import { JobText } from "./job-text";
import { isMember, withMember } from "./members";
import type { Path, Step } from "./values";

/** What the form wants of the text: itself with a change in it. */
export type Change = CustomEvent<(job: JobText) => string>;

/**
 * The usual fields of a job. It shows what the text says and asks for changes of the text, by the event `job-change`; it
 * holds nothing of its own. Each control names its place in both protocols; one that a protocol does not have is hidden.
 */
class JobForm extends HTMLElement {
  #protocol: 1 | 2 = 2;

  connectedCallback(): void {
    this.addEventListener("input", this.#typed);
    this.addEventListener("change", this.#chosen);
    this.addEventListener("click", this.#clicked);
    this.addEventListener("keydown", this.#pressed);
  }

  disconnectedCallback(): void {
    this.removeEventListener("input", this.#typed);
    this.removeEventListener("change", this.#chosen);
    this.removeEventListener("click", this.#clicked);
    this.removeEventListener("keydown", this.#pressed);
  }

  /**
   * Without a text that can be read, what stands here stays, and can only be read.
   * @param back also where somebody is typing: the text has gone back to what it was
   */
  show(job: JobText | undefined, back = false): void {
    const whole = this.querySelector<HTMLFieldSetElement>("fieldset.whole");
    const words = this.querySelector<HTMLElement>(".unreadable");
    if (!whole || !words) return;
    words.hidden = job !== undefined;
    whole.disabled = job === undefined;
    if (!job) return;
    this.#label(this, "");
    this.#protocol = protocolOf(job);
    this.#showRoles(rolesOf(job));
    for (const part of this.#parts()) this.#showPart(part, job, back);
  }

  /** Puts each fault to the control of its place, and to the one around it otherwise. */
  mark(faults: { path: string; message: string }[]): void {
    for (const part of this.#parts()) {
      const path = dotted(this.#field(part).path);
      const mine = faults.find((fault) => fault.path === path || (path !== "" && fault.path.startsWith(`${path}[`)));
      const inside = part.classList.contains("pairs") && faults.find((fault) => fault.path.startsWith(`${path}.`));
      const fault = mine ?? (inside || undefined);
      const words = part.querySelector<HTMLElement>(":scope > .fault");
      const control = part.querySelector("input, select, textarea");
      if (!words || !control) continue;
      words.hidden = !fault;
      const text = words.querySelector("span");
      if (text) text.textContent = fault?.message ?? "";
      if (fault) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      const more = part.closest("details");
      if (fault && more) more.open = true;
    }
  }

  #parts(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>("[data-kind]")];
  }

  #field(part: HTMLElement): Field {
    const place = (this.#protocol === 1 ? part.dataset.v1 : part.dataset.v2) ?? "";
    const inner = place === "" || place === "." || part.dataset.kind === "role" ? [] : place.split(".");
    const role = part.closest<HTMLElement>("section.role")?.dataset.at;
    const at: Step[] = role === undefined ? [] : ["taskRoles", this.#protocol === 1 ? Number(role) : role];
    return { kind: part.dataset.kind ?? "text", path: [...at, ...inner] };
  }

  #showPart(part: HTMLElement, job: JobText, back: boolean): void {
    part.hidden = !(this.#protocol === 1 ? part.dataset.v1 : part.dataset.v2);
    if (part.hidden) return;
    const field = this.#field(part);
    if (part.classList.contains("pairs")) {
      this.#showPairs(part, field, job, back);
      return;
    }
    const control = part.querySelector<HTMLInputElement>("input, select, textarea");
    if (!control) return;
    const text = shown(job, field);
    if (field.kind === "member") control.checked = isMember(job, field.path, part.dataset.member ?? "");
    else if (field.kind === "flag") control.checked = text === "true";
    else if (back || control !== document.activeElement || !means(job, field, control.value)) show(control, text);
  }

  #showPairs(part: HTMLElement, field: Field, job: JobText, back: boolean): void {
    const list = part.querySelector("ul");
    const row = part.querySelector("template")?.content.firstElementChild;
    if (!list || !row) return;
    const wanted = pairs(job, field);
    const again = part.querySelector<HTMLElement>(".again");
    if (again) again.hidden = !(field.kind === "secrets" && JSON.stringify(job.at(field.path) ?? "").includes(MASK));
    // a row that has no name yet is not in the text
    const nameless = [...list.children].filter((item) => named(item)[0]?.value.trim() === "");
    while (list.children.length - nameless.length < wanted.length)
      list.insertBefore(row.cloneNode(true), nameless[0] ?? null);
    const rows = [...list.children].filter((item) => !nameless.includes(item));
    for (const [index, item] of rows.entries()) {
      const [name, value] = named(item);
      const pair = wanted[index];
      if (!pair || !name || !value) item.remove();
      else {
        if (back || name !== document.activeElement) show(name, pair[0]);
        if (back || value !== document.activeElement) show(value, pair[1]);
      }
    }
  }

  #showRoles(roles: Step[]): void {
    const all = this.querySelector(".roles");
    const template = this.querySelector<HTMLTemplateElement>("template.role");
    const fresh = template?.content.firstElementChild;
    if (!all || !fresh) return;
    while (all.children.length > roles.length) all.lastElementChild?.remove();
    while (all.children.length < roles.length) {
      const role = fresh.cloneNode(true) as HTMLElement;
      this.#label(role, `-${all.children.length}`);
      all.append(role);
    }
    for (const [index, role] of [...all.children].entries()) {
      (role as HTMLElement).dataset.at = String(roles[index]);
      const number = role.querySelector("h2 span");
      if (number) number.textContent = roles.length > 1 ? String(index + 1) : "";
      const remove = role.querySelector<HTMLElement>("button.remove");
      if (remove) remove.hidden = roles.length === 1;
    }
  }

  /** Labels and hints belong to their controls by id, and a role is drawn several times. */
  #label(within: Element, suffix: string): void {
    const parts = within.querySelectorAll(suffix === "" ? ":scope > fieldset > section .field" : ".field");
    for (const [index, part] of [...parts].entries()) {
      const control = part.querySelector("input, select, textarea");
      const label = part.querySelector("label:not(.tick)");
      if (!control) continue;
      control.id ||= `part${suffix}-${index}`;
      label?.setAttribute("for", control.id);
      const described = [...part.querySelectorAll(":scope > :is(.hint, .fault)")];
      for (const [at, words] of described.entries()) words.id ||= `${control.id}-words-${at}`;
      if (described.length > 0) control.setAttribute("aria-describedby", described.map(({ id }) => id).join(" "));
    }
  }

  #typed = (event: Event): void => {
    if (event instanceof InputEvent && event.isComposing) return;
    const control = event.target as HTMLInputElement;
    const part = control.closest<HTMLElement>("[data-kind]");
    if (!part || part.dataset.kind === "role") return;
    const field = this.#field(part);
    const member = part.dataset.member;
    if (member) {
      this.#ask((job) => withMember(job, field.path, member, control.checked));
      return;
    }
    const typed = field.kind === "flag" ? (control.checked ? "true" : "") : control.value;
    const several = part.classList.contains("pairs");
    this.#ask((job) => (several ? pairsWritten(job, field, rows(part)) : written(job, field, typed)));
  };

  /** A role is renamed when its new name is whole: it is a key that others may have. */
  #chosen = (event: Event): void => {
    const control = event.target as HTMLInputElement;
    const part = control.closest<HTMLElement>("[data-kind='role']");
    if (part) this.#ask((job) => written(job, this.#field(part), control.value));
  };

  #clicked = (event: Event): void => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button");
    const part = button?.closest<HTMLElement>("[data-kind]");
    if (part?.classList.contains("pairs") && button?.classList.contains("add")) addRow(part);
    else if (part?.classList.contains("pairs") && button) {
      button.closest("li")?.remove();
      part.querySelector<HTMLButtonElement>("button.add")?.focus();
      const field = this.#field(part);
      this.#ask((job) => pairsWritten(job, field, rows(part)));
    }
    if (button?.classList.contains("add-role")) this.#ask(withRole);
    const at = button?.classList.contains("remove")
      ? button.closest<HTMLElement>("section.role")?.dataset.at
      : undefined;
    if (at !== undefined)
      this.#ask((job) => job.remove(["taskRoles", Array.isArray(job.at(["taskRoles"])) ? Number(at) : at]));
  };

  /** Enter in a field is no submission: the button is far below. */
  #pressed = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      event.target.dispatchEvent(new Event("change", { bubbles: true }));
    }
  };

  #ask(change: (job: JobText) => string): void {
    this.dispatchEvent(new CustomEvent("job-change", { detail: change, bubbles: true }));
  }
}

function addRow(part: HTMLElement): void {
  const row = part.querySelector("template")?.content.firstElementChild?.cloneNode(true) as Element | undefined;
  if (!row) return;
  part.querySelector("ul")?.append(row);
  row.querySelector("input")?.focus();
}

/** Like the last role, so that its image and needs are there to be changed. */
function withRole(job: JobText): string {
  const roles = rolesOf(job);
  const last = roles.at(-1);
  const like = last === undefined ? {} : job.at(["taskRoles", last]);
  const names = roles.map((role) => (typeof role === "number" ? job.at(["taskRoles", role, "name"]) : role));
  let number = roles.length + 1;
  while (names.includes(`role${number}`)) number++;
  const copy = { ...(like as object) } as { [key: string]: never };
  return protocolOf(job) === 1
    ? job.set(["taskRoles", roles.length], { ...copy, name: `role${number}` })
    : job.set(["taskRoles", `role${number}`], copy);
}

const named = (row: Element) => [...row.querySelectorAll("input")];

function rows(part: HTMLElement): Pair[] {
  return [...part.querySelectorAll("li")].map((row) => {
    const [name, value] = named(row);
    return [name?.value ?? "", value?.value ?? ""];
  });
}

function show(control: HTMLInputElement, text: string): void {
  if (control.value !== text) control.value = text;
}

/** Whether what stands in a control while somebody types in it says what the text says. */
function means(job: JobText, field: Field, typed: string): boolean {
  if (field.kind === "role") return true;
  const text = written(job, field, typed);
  return text === job.text || shown(JobText.read(text) ?? job, field) === shown(job, field);
}

function dotted(path: Path): string {
  return path.reduce<string>((at, step) => at + (typeof step === "number" ? `[${step}]` : at ? `.${step}` : step), "");
}

customElements.define("job-form", JobForm);

export type { JobForm };
