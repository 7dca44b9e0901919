package io.sluice.jobs.data.back;

import io.sluice.jobs.data.care.Digests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Which versions of which files a store has, as far as this gateway has seen to it. A file takes a number that stands for its path and version,
 * eight bytes of their digest: of a million files two have the same once in thirty million times.
 */
public final class Brought {
    private static final int LEAST = 1 << 10;

    private long[] numbers = new long[LEAST];
    private int count;

    public synchronized boolean has(String path, String version) {
        return numbers[at(numbers, number(path, version))] != 0;
    }

    public synchronized void add(String path, String version) {
        long number = number(path, version);
        int at = at(numbers, number);
        if (numbers[at] != 0) {
            return;
        }
        numbers[at] = number;
        count++;
        if (count > numbers.length / 4 * 3) {
            grow();
        }
    }

    private void grow() {
        long[] larger = new long[numbers.length * 2];
        for (long number : numbers) {
            if (number != 0) {
                larger[at(larger, number)] = number;
            }
        }
        numbers = larger;
    }

    /** Where a number is, or would be. */
    private static int at(long[] numbers, long number) {
        int at = (int) number & numbers.length - 1;
        while (numbers[at] != 0 && numbers[at] != number) {
            at = at + 1 & numbers.length - 1;
        }
        return at;
    }

    private static long number(String path, String version) {
        byte[] digest = Digests.of("SHA-256").digest((path + "\0" + version).getBytes(StandardCharsets.UTF_8));
        long number = ByteBuffer.wrap(digest).getLong();
        return number == 0 ? 1 : number;
    }

    /** Nothing but what another holds: the versions that are no more are forgotten. */
    public void become(Brought other) {
        long[] theirs;
        int many;
        synchronized (other) {
            theirs = other.numbers.clone();
            many = other.count;
        }
        synchronized (this) {
            numbers = theirs;
            count = many;
        }
    }

    public synchronized int count() {
        return count;
    }
}
