export function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i] as number) >= 0x80) return false;
  return true;
}

export function ascii(bytes: Uint8Array, from: number, to: number): string {
  return from === to ? "" : String.fromCharCode.apply(null, bytes.subarray(from, to) as unknown as number[]);
}
