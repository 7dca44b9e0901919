import { Check } from "./check";
import { Draft } from "./draft";
import { Editor, type Fault } from "./editor";
import { protocolOf } from "./fields";
import { Imports } from "./imports";
import type { Change, JobForm } from "./job-form";
import { JobText } from "./job-text";
import { knowledge } from "./knowledge";

const DRAFT_PAUSE = 400;

/**
 * The page on which a job is written: keeps the form and the text in step, the verdict current, and a draft. The text is
 * what counts: the form reads it and asks for changes of it, and it alone is sent, by the textarea that stands here
 * without a script too.
 */
class JobEditor extends HTMLElement {
  #editor: Editor | undefined;
  #check: Check | undefined;
  #draft: Draft | undefined;
  #imports: Imports | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  #faults: Fault[] = [];

  connectedCallback(): void {
    document.addEventListener("turbo:before-cache", this.#rest);
    document.addEventListener("turbo:render", this.#start);
    this.addEventListener("job-change", this.#asked);
    this.addEventListener("click", this.#clicked);
    this.addEventListener("keydown", this.#pressed);
    this.addEventListener("turbo:before-fetch-response", this.#sent);
    this.addEventListener("turbo:fetch-request-error", this.#lost);
    this.#start();
  }

  disconnectedCallback(): void {
    document.removeEventListener("turbo:before-cache", this.#rest);
    document.removeEventListener("turbo:render", this.#start);
    this.#rest();
  }

  /** Again, too, where Turbo has laid a refused form's page over this one: it leaves elements, and takes their insides. */
  #start = (): void => {
    if (document.documentElement.hasAttribute("data-turbo-preview") || this.querySelector(".cm-editor")) return;
    this.#rest();
    customElements.upgrade(this); // on a page that Turbo brings, what is inside comes to life after what is around it
    const area = this.#part<HTMLTextAreaElement>("#text");
    this.#draft = new Draft(this.getAttribute("user") ?? "");
    this.#restore(area);
    const place = document.createElement("div");
    place.className = "editor";
    area.before(place);
    area.hidden = true;
    const label = this.#part<HTMLElement>("label[for=text]");
    label.id = "text-label";
    this.#editor = new Editor(place, area.value, label.id, knowledge(this), () => this.#changed());
    this.#check = new Check(() => area.value, this.#judged, this.#unjudged);
    this.#imports = new Imports(this, this.#imported);
    for (const part of ["job-form", ".import", ".sides"]) this.#part(part).hidden = false;
    if (this.querySelector("#keep[data-open]")) this.#part("#keep").showPopover();
    this.#seen();
    const verdict = this.querySelector("#verdict [data-state]");
    if (verdict) this.#judged(verdict);
    const [first] = this.#faults;
    if (first && this.hasAttribute("posted")) this.#editor.go(first.line, first.column);
    this.#check.soon(verdict ? 20_000 : 0);
    this.classList.add("ready");
  };

  #part<E extends HTMLElement = HTMLElement>(selector: string): E {
    return this.querySelector(selector) as E;
  }

  /** As it would stand here without a script, for Turbo's cache. */
  #rest = (): void => {
    clearTimeout(this.#saving);
    this.#check?.stop();
    this.#imports?.stop();
    const area = this.querySelector<HTMLTextAreaElement>("#text");
    if (this.#editor && area?.hidden) {
      area.defaultValue = this.#editor.text;
      area.hidden = false;
      this.#draft?.keep(area.value);
    }
    this.#editor?.remove();
    this.#editor = undefined;
    this.querySelector(".editor")?.remove();
  };

  #changed(): void {
    const area = this.#part<HTMLTextAreaElement>("#text");
    area.value = this.#editor?.text ?? area.value;
    this.#newKey();
    this.querySelector(".words > .notice.bad")?.remove();
    this.#seen();
    this.#say(this.dataset.checking ?? "");
    this.#check?.soon();
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#draft?.keep(area.value), DRAFT_PAUSE);
  }

  #seen(): void {
    const job = JobText.read(this.#part<HTMLTextAreaElement>("#text").value);
    this.#part<JobForm>("job-form").show(job);
    const kind = this.#editor?.json ? "JSON" : "YAML";
    const protocol = job ? ` · ${(this.dataset.protocol ?? "").replace("%s", String(protocolOf(job)))}` : "";
    this.#part(".kind").textContent = kind + protocol;
  }

  /** Another text is another submission. A plain http address has no crypto.randomUUID. */
  #newKey(): void {
    const digits = crypto.getRandomValues(new Uint8Array(16));
    this.#part<HTMLInputElement>("[name=key]").value = [...digits]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
  }

  #asked = (event: Event): void => this.#edit((event as Change).detail);

  #edit(change: (job: JobText) => string): void {
    const job = JobText.read(this.#editor?.text ?? "");
    if (job) this.#editor?.write(change(job));
  }

  #judged = (verdict: Element): void => {
    const place = this.#part("#verdict");
    // the same words again are not news for who listens
    if (place.textContent !== verdict.textContent) place.replaceChildren(verdict);
    this.#faults = [...verdict.querySelectorAll<HTMLElement>("li[data-line]")].map((item) => ({
      line: Number(item.dataset.line),
      column: Number(item.dataset.column),
      path: item.dataset.path ?? "",
      message: item.querySelector(".message")?.textContent ?? "",
      allowed: item.querySelector(".allowed")?.textContent ?? "",
    }));
    this.#editor?.mark(this.#faults);
    this.#part<JobForm>("job-form").mark(
      this.#faults.map(({ path, message, allowed }) => ({
        path,
        message: allowed ? `${message} · ${allowed}` : message,
      })),
    );
    this.#say(verdict.querySelector(".state b")?.textContent ?? "", verdict.getAttribute("data-state") ?? "");
  };

  #unjudged = (status: number): void => {
    this.#say(this.dataset.checkFailed ?? "", "unknown");
    if (status === 401) this.#signIn();
  };

  #say(words: string, state = ""): void {
    const brief = this.#part(".brief");
    brief.textContent = words;
    brief.dataset.state = state;
  }

  #restore(area: HTMLTextAreaElement): void {
    const kept = this.#draft?.kept();
    if (this.hasAttribute("posted") || !kept || kept === area.value) return;
    const fresh = area.value;
    area.value = kept;
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button";
    again.textContent = this.dataset.discard ?? "";
    again.onclick = () => {
      this.#editor?.write(fresh);
      this.#draft?.forget();
      this.#part(".words").replaceChildren();
    };
    this.#tell(this.dataset.restored ?? "", "info", again);
  }

  #tell(words: string, tone: string, ...more: Element[]): void {
    const notice = document.createElement("div");
    notice.className = `notice ${tone}`;
    notice.setAttribute("role", tone === "bad" ? "alert" : "status");
    const text = document.createElement("p");
    text.textContent = words;
    notice.append(text, ...more);
    this.#part(".words").replaceChildren(notice);
  }

  #clicked = (event: MouseEvent): void => {
    const target = event.target as Element;
    const line = target.closest<HTMLElement>("li[data-line] a")?.closest("li");
    const template = target.closest<HTMLElement>("[data-template]")?.dataset.template;
    const rename = target.closest<HTMLButtonElement>("button[name=rename]");
    if (!line && template === undefined && !rename) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (line) {
      this.#part("#side-text").click();
      this.#editor?.go(Number(line.dataset.line), Number(line.dataset.column));
    }
    if (rename) this.#edit((job) => job.set([protocolOf(job) === 1 ? "jobName" : "name"], rename.value));
    if (template !== undefined) void this.#begin(template);
  };

  #pressed = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.key === "Enter" && target instanceof HTMLInputElement && target.closest("#keep")) {
      event.preventDefault();
      this.#part<HTMLButtonElement>("#keep button[formaction]").click();
    }
  };

  async #begin(template: string): Promise<void> {
    this.#part("#templates").hidePopover();
    const page = await fetch(`/jobs/new?template=${encodeURIComponent(template)}`, {
      headers: { Accept: "text/html" },
    });
    const text = new DOMParser().parseFromString(await page.text(), "text/html");
    const area = text.querySelector<HTMLTextAreaElement>("#text");
    const words = text.querySelector(".words .notice");
    if (area) this.#editor?.write(area.value);
    else this.#signIn();
    if (words) this.#part(".words").replaceChildren(document.adoptNode(words));
  }

  #imported = (text: string | undefined, file: string): void => {
    if (text === undefined) this.#tell(this.dataset.importFailed ?? "", "bad");
    else this.#editor?.write(text);
    if (text !== undefined && file) this.#tell((this.dataset.imported ?? "").replace("%s", file), "good");
  };

  #sent = (event: Event): void => {
    const { response } = (event as CustomEvent<{ fetchResponse: { response: Response } }>).detail.fetchResponse;
    const { pathname } = new URL(response.url, location.href);
    if (response.redirected && pathname === "/sign-in") {
      event.preventDefault();
      this.#signIn();
    } else if (response.redirected) {
      this.#draft?.forget();
      this.#draft = undefined;
    } else if (response.status >= 500) this.#lost(event);
  };

  /** Nothing was taken: the page stays, with all that was typed. */
  #lost = (event: Event): void => {
    event.preventDefault();
    this.#tell(this.dataset.offline ?? "", "bad");
  };

  #signIn(): void {
    this.#draft?.keep(this.#editor?.text ?? "");
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }
}

customElements.define("job-editor", JobEditor);
