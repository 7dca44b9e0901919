/** The index of the first of which something is true that is true of all behind it. */
export function lowest<T>(list: readonly T[], test: (one: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
