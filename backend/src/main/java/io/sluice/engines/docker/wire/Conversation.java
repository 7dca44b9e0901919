package io.sluice.engines.docker.wire;

import java.io.Closeable;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A connection to a program in a container. Whoever has it closes it.
 *
 * @param out closing it ends what the program reads, and nothing else
 */
public record Conversation(InputStream in, OutputStream out, Closeable socket) {}
