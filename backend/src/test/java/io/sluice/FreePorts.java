package io.sluice;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports in a row at which nobody listens, out of those that neither the kernel nor an engine gives to anybody. */
final class FreePorts {
    private static final int LOWEST = 61_000;
    private static final int HIGHEST = 65_535;
    private static final int TRIES = 1_000;

    private FreePorts() {}

    /** The first of them. */
    static int inARow(int count) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - count + 2);
            if (areFree(first, count)) {
                return first;
            }
        }
        throw new IOException("no " + count + " ports in a row are free");
    }

    private static boolean areFree(int first, int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int port = first; port < first + count; port++) {
                held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
            }
            return true;
        } catch (BindException taken) {
            return false;
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }
}
