package io.sluice.files.packing;

import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;

/** Without compression: what is large here is packed already, and a line is quicker than a processor that many share. */
final class Zip implements Packing.Format {
    /** Of a format that has 65,535 bytes for it; a letter may take four. */
    private static final int LONGEST_NAME = 16_000;

    private final Wide zip;
    private final CRC32 sum = new CRC32();

    /** Java's own hands its bytes on by 512, and asks zlib for each of them. */
    private static final class Wide extends ZipOutputStream {
        private static final int AT_ONCE = 64 << 10;

        Wide(OutputStream out) {
            super(out, StandardCharsets.UTF_8);
            buf = new byte[AT_ONCE];
        }

        void release() {
            def.end();
        }
    }

    Zip(OutputStream out) {
        this.zip = new Wide(out);
        zip.setLevel(Deflater.NO_COMPRESSION);
    }

    private void put(Place place, Found found, String end) throws IOException {
        put(entry(place, found, end), place);
    }

    private static ZipEntry entry(Place place, Found found, String end) throws IOException {
        // who unpacks this has names of text only: other bytes are told by their numbers
        String name = String.join("/", place.names().stream().map(Place::shown).toList()) + end;
        if (name.length() > LONGEST_NAME) {
            throw new Refused(Refused.Why.TOO_MANY, place.name());
        }
        var entry = new ZipEntry(name);
        entry.setLastModifiedTime(FileTime.fromMillis(found.changed()));
        return entry;
    }

    private void put(ZipEntry entry, Place place) throws IOException {
        try {
            zip.putNextEntry(entry);
        } catch (ZipException twice) {
            throw new Refused(Refused.Why.EXISTS, place.name());
        }
    }

    @Override
    public void folder(Place place, Found found) throws IOException {
        put(place, found, "/");
        zip.closeEntry();
    }

    /** As a file of where it leads: what unpacks zips makes no links of a stranger's. */
    @Override
    public void link(Place place, Found found, String target) throws IOException {
        begin(place, found);
        byte[] text = target.getBytes(StandardCharsets.UTF_8);
        write(text, text.length);
        end();
    }

    @Override
    public void begin(Place place, Found found) throws IOException {
        put(place, found, "");
    }

    @Override
    public void write(byte[] bytes, int count) throws IOException {
        zip.write(bytes, 0, count);
    }

    @Override
    public boolean end() throws IOException {
        zip.closeEntry();
        return true;
    }

    /** As it is: what is known before needs no zlib around it, and nothing behind it that tells it. */
    @Override
    public void whole(Place place, Found found, byte[] bytes, int count) throws IOException {
        sum.reset();
        sum.update(bytes, 0, count);
        ZipEntry entry = entry(place, found, "");
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(count);
        entry.setCrc(sum.getValue());
        put(entry, place);
        zip.write(bytes, 0, count);
        zip.closeEntry();
    }

    @Override
    public void close() throws IOException {
        zip.finish();
    }

    @Override
    public void release() {
        zip.release();
    }
}
