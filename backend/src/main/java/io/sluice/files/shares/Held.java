package io.sluice.files.shares;

/** A share as somebody has it. */
public record Held(Share share, boolean writable) {}
