/** Attempt, index and try are numbers; the role, which may hold dots, is last. */
const PATH = /\/attempts\/(\d+)\/taskRoles\/([^/]+)\/taskIndex\/(\d+)\/attempts\/(\d+)\/log$/;
const PLACE = /^#log(s?)=(\d+)\.(\d+)\.(\d+)\.(.+)@(\d+)$/;

/** Where an address points: in which log of this job and where in it, and whether all of them are shown at once. */
export interface Landing {
  readonly src: string;
  readonly offset?: number;
  readonly merged: boolean;
}

/** The address of a row: of one log, which the page then is about, or among all of them merged. */
export function addressOf(src: string, offset: number, merged: boolean): string | undefined {
  const [, attempt, role, index, tries] = PATH.exec(src) ?? [];
  if (!role || !index || !attempt || !tries) return undefined;
  const query = new URLSearchParams(location.search);
  if (!merged) {
    query.set("role", decodeURIComponent(role));
    query.set("index", index);
    if (attempt !== "0") query.set("attempt", attempt);
    if (tries !== "0") query.set("try", tries);
  }
  const search = query.size > 0 ? `?${query}` : "";
  return `${location.pathname}${search}#log${merged ? "s" : ""}=${attempt}.${index}.${tries}.${role}@${offset}`;
}

export function landingOf(hash: string, src: string): Landing | undefined {
  const [, all, attempt, index, tries, role, offset] = PLACE.exec(hash) ?? [];
  if (!offset || !PATH.test(src)) return undefined;
  const path = `/attempts/${attempt}/taskRoles/${role}/taskIndex/${index}/attempts/${tries}/log`;
  return { src: src.replace(PATH, path), offset: Number(offset), merged: all !== "" };
}
