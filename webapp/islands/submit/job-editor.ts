import { Check, faultsOf, reasonOf } from "./check";
import { Draft, newKey } from "./draft";
import { Editor, type Fault } from "./editor";
import { protocolOf } from "./fields";
import { Imports, templateOf } from "./imports";
import type { Change, JobForm } from "./job-form";
import { JobText } from "./job-text";
import { knowledge } from "./knowledge";
import { otherNotation } from "./notation";
import { Notices, verdictOf } from "./notices";
import { Steps } from "./steps";

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
  #steps: Steps | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  #faults: Fault[] = [];
  readonly #notices = new Notices(() => this.#part(".words"));

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
    this.#editor = new Editor(place, area.value, label.id, knowledge(this), (back) => this.#changed(back));
    this.#steps = new Steps(this, this.#editor);
    this.#check = new Check(() => area.value, this.#judged, this.#unjudged);
    this.#imports = new Imports(this, this.#imported);
    for (const part of ["job-form", ".import", ".sides", ".ways"]) this.#part(part).hidden = false;
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
    this.#steps?.stop();
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

  #changed(back = false): void {
    const area = this.#part<HTMLTextAreaElement>("#text");
    area.value = this.#editor?.text ?? area.value;
    this.#part<HTMLInputElement>("[name=key]").value = newKey();
    this.#notices.outlived();
    this.#seen(back);
    this.#steps?.show();
    this.#say(this.dataset.checking ?? "");
    this.#check?.soon();
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#draft?.keep(area.value), DRAFT_PAUSE);
  }

  #seen(back = false): void {
    const job = JobText.read(this.#part<HTMLTextAreaElement>("#text").value);
    this.#part<JobForm>("job-form").show(job, back);
    const kind = this.#editor?.json ? "JSON" : "YAML";
    const other = this.#part<HTMLButtonElement>("button[name=notation]");
    other.textContent = (this.#editor?.json ? this.dataset.asYaml : this.dataset.asJson) ?? "";
    other.disabled = !job;
    const protocol = job ? ` · ${(this.dataset.protocol ?? "").replace("%s", String(protocolOf(job)))}` : "";
    this.#part(".kind").textContent = kind + protocol;
  }

  #asked = (event: Event): void => this.#edit((event as Change).detail);

  #edit(change: (job: JobText) => string): void {
    const job = JobText.read(this.#editor?.text ?? "");
    if (job) this.#editor?.write(change(job), true);
  }

  #judged = (verdict: Element): void => {
    const place = this.#part("#verdict");
    // the same words again are not news for who listens
    if (place.textContent !== verdict.textContent) place.replaceChildren(verdict);
    this.#faults = faultsOf(verdict);
    this.#editor?.mark(this.#faults);
    this.#part<JobForm>("job-form").mark(
      this.#faults.map(({ path, message, allowed }) => ({
        path,
        message: allowed ? `${message} · ${allowed}` : message,
      })),
    );
    const words = verdict.querySelector(".state b")?.textContent ?? "";
    this.#say(words, verdict.getAttribute("data-state") ?? "", reasonOf(verdict));
  };

  #unjudged = (status: number): void => {
    const words = (status === 503 ? this.dataset.checkAway : this.dataset.checkFailed) ?? "";
    this.#part("#verdict").replaceChildren(verdictOf(words));
    this.#say(words, "unknown");
    if (status === 401) this.#signIn();
  };

  #say(words: string, state = "", why = ""): void {
    const brief = this.#part(".brief");
    const reason = Object.assign(document.createElement("span"), { textContent: why, title: why });
    brief.replaceChildren(words, ...(why ? [" · ", reason] : []));
    brief.dataset.state = state;
  }

  #restore(area: HTMLTextAreaElement): void {
    const kept = this.#draft?.kept();
    if (this.hasAttribute("posted") || !kept || kept === area.value) return;
    const fresh = area.value;
    area.value = kept;
    this.#notices.tell(this.dataset.restored, "info", [this.dataset.discard, () => this.#anew(fresh)]);
  }

  #anew(text: string): void {
    this.#editor?.write(text);
    this.#draft?.forget();
  }

  /** The same job as JSON or YAML, as one step; what JSON has no place for is said. */
  #turn(): void {
    const other = otherNotation(this.#editor?.text ?? "");
    if (!other) {
      this.#notices.tell(this.dataset.notationFailed, "warning");
      return;
    }
    this.#editor?.write(other.text);
    const lost = (this.dataset.notationComments ?? "").replace("%s", String(other.comments));
    if (other.comments > 0) this.#notices.tell(lost, "warning", [this.dataset.undo, () => this.#editor?.undo()]);
  }

  #clicked = (event: MouseEvent): void => {
    const target = event.target as Element;
    const line = target.closest<HTMLElement>("li[data-line] a")?.closest("li");
    const template = target.closest<HTMLElement>("[data-template]")?.dataset.template;
    const rename = target.closest<HTMLButtonElement>("button[name=rename]");
    if (target.closest("button[name=notation]")) this.#turn();
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
    const { text, words } = await templateOf(template);
    if (text === undefined) this.#signIn();
    else this.#editor?.write(text);
    if (words) this.#notices.show(words);
  }

  #imported = (text: string | undefined, file: string): void => {
    if (text === undefined) this.#notices.tell(this.dataset.importFailed, "bad");
    else this.#editor?.write(text);
    if (text !== undefined && file) this.#notices.tell(this.dataset.imported?.replace("%s", file), "good");
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
    } else if (response.status >= 500) {
      event.preventDefault();
      this.#notices.tell(response.status === 503 ? this.dataset.away : this.dataset.broken, "bad");
    }
  };

  /** Nothing was taken: the page stays, with all that was typed. */
  #lost = (event: Event): void => {
    event.preventDefault();
    this.#notices.tell(this.dataset.offline, "bad");
  };

  #signIn(): void {
    this.#draft?.keep(this.#editor?.text ?? "");
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }
}

customElements.define("job-editor", JobEditor);
