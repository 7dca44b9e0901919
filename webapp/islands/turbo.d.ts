/** The part of Turbo that the islands use; the package brings no types. */
declare module "@hotwired/turbo" {
  export interface StreamElement extends HTMLElement {
    readonly targetElements: Element[];
    readonly templateContent: DocumentFragment;
  }
  export const StreamActions: Record<string, (this: StreamElement) => void>;
  export const navigator: { history: { push(location: URL): void } };
  export function visit(location: string, options?: { action?: "advance" | "replace" }): void;
  export const config: {
    drive: { progressBarDelay: number };
    forms: { confirm: (message: string, form: HTMLFormElement, submitter: HTMLElement | null) => Promise<boolean> };
  };
}
