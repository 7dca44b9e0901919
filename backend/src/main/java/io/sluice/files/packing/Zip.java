package io.sluice.files.packing;

import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;

/** Without compression: what is large here is packed already, and a line is quicker than a processor that many share. */
final class Zip implements Packing.Format {
    private final ZipOutputStream zip;

    Zip(OutputStream out) {
        this.zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
        zip.setLevel(Deflater.NO_COMPRESSION);
    }

    private static ZipEntry entry(Place place, Found found, String end) {
        // who unpacks this has names of text only: other bytes are told by their numbers
        var entry = new ZipEntry(
                String.join("/", place.names().stream().map(Place::shown).toList()) + end);
        entry.setLastModifiedTime(FileTime.fromMillis(found.changed()));
        return entry;
    }

    @Override
    public void folder(Place place, Found found) throws IOException {
        zip.putNextEntry(entry(place, found, "/"));
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
        try {
            zip.putNextEntry(entry(place, found, ""));
        } catch (ZipException twice) {
            throw new Refused(Refused.Why.EXISTS, place.name());
        }
    }

    @Override
    public void write(byte[] bytes, int count) throws IOException {
        zip.write(bytes, 0, count);
    }

    @Override
    public void end() throws IOException {
        zip.closeEntry();
    }

    @Override
    public void close() throws IOException {
        zip.finish();
    }
}
