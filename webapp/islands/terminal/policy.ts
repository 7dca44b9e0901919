/**
 * The page's policy lets in no style that does not show the page's nonce, and no style attribute. xterm makes both, and has no
 * option for it: on this page, its styles get the nonce, and its attributes go by a way that the policy allows.
 */
export function obeyPolicy(): void {
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const make = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const made = make(name, options);
    if (name === "style") made.nonce = nonce;
    if (name === "span") made.setAttribute = setStyled;
    return made;
  };
}

function setStyled(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
