package io.sluice.files.unpacking;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** What bytes in a zip are meant to say: there is a word for UTF-8, and many who write it without, or something else. */
final class ZipNames {
    /** What Windows in China writes. */
    private static final Charset CHINESE = Charset.forName("GB18030");

    private static final int DOS = 0;

    private ZipNames() {}

    /** Bytes, each as a character. */
    static String utf8(byte[] name, boolean told, int host) {
        boolean chinese = !told && host == DOS && !is(name, StandardCharsets.UTF_8) && is(name, CHINESE);
        byte[] meant = chinese ? new String(name, CHINESE).getBytes(StandardCharsets.UTF_8) : name;
        String bytes = new String(meant, StandardCharsets.ISO_8859_1);
        // as the tools of that system part them
        return host == DOS && bytes.indexOf('/') < 0 ? bytes.replace('\\', '/') : bytes;
    }

    private static boolean is(byte[] name, Charset charset) {
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(name)).hasRemaining();
        } catch (CharacterCodingException other) {
            return false;
        }
    }
}
