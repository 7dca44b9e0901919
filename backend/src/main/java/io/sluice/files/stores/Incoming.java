package io.sluice.files.stores;

import java.io.FilterInputStream;
import java.io.IOException;
import software.amazon.awssdk.core.ResponseInputStream;

/** The bytes of an object. Who closes it before the end waits for no rest: the line is given up. */
final class Incoming extends FilterInputStream {
    private final ResponseInputStream<?> body;
    private boolean ended;

    Incoming(ResponseInputStream<?> body) {
        super(body);
        this.body = body;
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        ended |= one < 0;
        return one;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        ended |= count < 0;
        return count;
    }

    @Override
    public void close() throws IOException {
        if (ended) {
            super.close();
        } else {
            body.abort();
        }
    }
}
