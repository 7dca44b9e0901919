package io.sluice.files.unpacking;

import io.sluice.files.tree.Place;
import java.io.IOException;

/** An archive is not unpacked, and which of its entries is why. */
public final class BadArchive extends IOException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_SHOWN = 300;

    /** Why, and what whoever sent it can do. */
    public enum Why {
        UNKNOWN("This is no archive that is unpacked here. Pack it as zip, tar, tar.gz or tar.xz."),
        CUT("The archive ends in the middle. Send it again."),
        DAMAGED("The archive is damaged: what it says of this is not so. Send it again."),
        CHECKSUM("This is not what its checksum says. Send the archive again."),
        OUTSIDE("This leads out of the folder. Pack it without .. in names."),
        ABSOLUTE("This begins at the top of a disk. Pack it with names from the folder on."),
        LINK("This link leads out of the archive. Pack what it leads to, or leave it out."),
        HARD_LINK("This has its content from something that is no file before it. Pack it as a file of its own."),
        SPECIAL("This is neither a file, a folder nor a link. Leave it out."),
        SPARSE("This is packed as a file with holes or in parts. Pack it without --sparse."),
        TWICE("This name stands there twice. Pack it once."),
        NAME(
                "No disk keeps such a name: a part is over 255 bytes, all of it over 4,000, or it holds a NUL. Shorten it."),
        OWN("The file centre keeps what is its own under this name. Unpack into a folder."),
        LOCKED("This is encrypted. Pack it without a password."),
        METHOD("This is packed in a way that is not known here. Pack it with deflate, which is the usual one."),
        MEMORY("This takes too much memory. Pack it with xz -9 or less."),
        TOO_MANY("That is more than 1,000,000 entries, or too many links. Pack it in parts."),
        HEADERS(
                "What stands after this to describe the next entry is over 1 MiB. Pack it with tar --no-xattrs --no-acls."),
        TOO_LARGE("It would be more than 200 times as large as the archive. Pack it in parts, or without compression.");

        private final String said;

        Why(String said) {
            this.said = said;
        }

        /** As programs switch on it. */
        public String code() {
            var code = new StringBuilder("Archive");
            for (String word : name().split("_", -1)) {
                code.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
            }
            return code.append("Error").toString();
        }
    }

    private final Why why;
    private final boolean named;

    BadArchive(Why why, String entry) {
        super((entry.isEmpty() ? "" : "\"" + shown(entry) + "\": ") + why.said + " Nothing was unpacked.");
        this.why = why;
        this.named = !entry.isEmpty();
    }

    /** Of bytes; what is not seen, or turns around what is, is told by its number. */
    private static String shown(String entry) {
        String text = Place.shown(entry.substring(0, Math.min(LONGEST_SHOWN, entry.length())));
        var told = new StringBuilder();
        text.codePoints().forEach(one -> {
            int type = Character.getType(one);
            if (type == Character.CONTROL || type == Character.FORMAT) {
                told.append("\\u%04x".formatted(one));
            } else {
                told.appendCodePoint(one);
            }
        });
        return told.append(entry.length() > LONGEST_SHOWN ? "…" : "").toString();
    }

    /** Of the entry that it was at, where it does not say. */
    BadArchive at(String entry) {
        return named ? this : new BadArchive(why, entry);
    }

    public Why why() {
        return why;
    }

    public String said() {
        return String.valueOf(getMessage());
    }
}
