package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.git.Packets.Kind;
import io.sluice.jobs.data.git.Packets.Packet;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.WebLine;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server of repositories, asked by HTTP for the pack of one commit: in git's second protocol where it knows that, and in its first. It follows
 * where the first question is led elsewhere, as git does, and nowhere after that.
 */
final class Remote {
    /** The names of a repository: a million of them. */
    private static final long MOST_NAMES = 128L << 20;

    /** What a server can do is told in a few lines. */
    private static final int MOST_SAID = 10_000;

    private static final String SERVICE = "git-upload-pack";
    private static final String FIRST = "/info/refs?service=" + SERVICE;
    private static final String SECOND = "version=2";
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    private final WebLine line;
    private final Wanted wanted;
    private final Limits.Span span;
    private final Care care;

    /**
     * What there is of what is wanted.
     *
     * @param base where it was led to
     * @param can what its server can do, as one line
     */
    record Found(URI base, String id, boolean second, String can) {}

    Remote(WebLine line, Wanted wanted, Limits.Span span, Care care) {
        this.line = line;
        this.wanted = wanted;
        this.span = span;
        this.care = care;
    }

    Found look() throws IOException {
        try (var answer = line.ask(wanted.at(FIRST), Map.of("Git-Protocol", SECOND, "Accept", "*/*"), span)) {
            String at = answer.address().toString();
            if (!at.endsWith(FIRST) || !isOf(answer, "advertisement")) {
                throw new StoreFault(
                        Why.REFUSED,
                        "There is no repository at " + wanted
                                + " that speaks git's smart protocol. Look at the address with git ls-remote.");
            }
            URI base = Hosts.address(at.substring(0, at.length() - FIRST.length()));
            var packets = new Packets(answer.body(), MOST_NAMES, care);
            Packet first = packets.next();
            if (first.text().startsWith("# service=")) {
                packets.next();
                first = packets.next();
            }
            return first.text().equals("version 2") ? second(base, packets) : first(base, packets, first);
        }
    }

    private static boolean isOf(WebLine.Answer answer, String what) {
        return String.valueOf(answer.header("Content-Type")).startsWith("application/x-" + SERVICE + "-" + what);
    }

    private Found first(URI base, Packets packets, Packet first) throws IOException {
        var names = new Named(wanted);
        String said = first.text();
        int end = said.indexOf('\0');
        String can = " " + (end < 0 ? "" : said.substring(end + 1)) + " ";
        names.take(end < 0 ? said : said.substring(0, end));
        for (Packet next = packets.next(); next.kind() == Kind.LINE; next = packets.next()) {
            names.take(next.text());
        }
        boolean any = can.contains(" allow-tip-sha1-in-want ") || can.contains(" allow-reachable-sha1-in-want ");
        return new Found(base, names.id(any), false, checked(can));
    }

    private Found second(URI base, Packets packets) throws IOException {
        var can = new StringBuilder(" ");
        for (Packet next = packets.next();
                next.kind() == Kind.LINE && can.length() < MOST_SAID;
                next = packets.next()) {
            can.append(next.text()).append(' ');
        }
        String all = checked(can.toString());
        var names = new Named(wanted);
        if (!wanted.isCommit()) {
            var ask = Buffer.buffer(Packets.packet("command=ls-refs")).appendString("0001");
            wanted.names().forEach(name -> ask.appendBytes(Packets.packet("ref-prefix " + name)));
            try (var answer = asked(base, ask.appendString("0000"))) {
                var refs = new Packets(answer.body(), MOST_NAMES, care);
                for (Packet next = refs.next(); next.kind() == Kind.LINE; next = refs.next()) {
                    names.take(next.text());
                }
            }
        }
        return new Found(base, names.id(true), true, all);
    }

    private String checked(String can) throws StoreFault {
        if (can.contains("object-format=") && !can.contains("object-format=sha1")) {
            throw new StoreFault(
                    Why.REFUSED,
                    wanted + " has ids of SHA-256, which are not known here. Fetch it in the commands with git clone.");
        }
        return can;
    }

    private WebLine.Answer asked(URI base, Buffer what) throws StoreFault {
        var headers = Map.of(
                "Content-Type", "application/x-" + SERVICE + "-request",
                "Accept", "application/x-" + SERVICE + "-result",
                "Git-Protocol", SECOND);
        var answer = line.post(Hosts.address(base + "/" + SERVICE), headers, what, span);
        if (isOf(answer, "result")) {
            return answer;
        }
        answer.close();
        throw new StoreFault(Why.REFUSED, Hosts.shown(base) + " does not answer as git does.");
    }

    /** @param reserved of the disk, for what comes */
    void fetch(Found found, OutputStream pack, long most, Reserved reserved) throws IOException {
        try (var answer = asked(found.base(), found.second() ? askSecond(found) : askFirst(found))) {
            var packets = new Packets(answer.body(), most, care);
            Packet next = packets.next();
            while (!isBeforePack(next, found.second())) {
                if (next.kind() == Kind.OVER) {
                    throw new StoreFault(Why.BROKEN, "The line broke before anything came.");
                }
                next = packets.next();
            }
            pack(packets, pack, reserved);
        }
    }

    private static boolean isBeforePack(Packet packet, boolean second) {
        return packet.kind() == Kind.LINE && packet.text().equals(second ? "packfile" : "NAK");
    }

    private static Buffer askSecond(Found found) {
        var ask = Buffer.buffer(Packets.packet("command=fetch"))
                .appendString("0001")
                .appendBytes(Packets.packet("no-progress"))
                .appendBytes(Packets.packet("ofs-delta"));
        if (found.can().contains("fetch=") && found.can().contains("shallow")) {
            ask.appendBytes(Packets.packet("deepen 1"));
        }
        return ask.appendBytes(Packets.packet("want " + found.id()))
                .appendBytes(Packets.packet("done"))
                .appendString("0000");
    }

    private Buffer askFirst(Found found) throws StoreFault {
        if (!found.can().contains(" side-band-64k ")) {
            throw new StoreFault(
                    Why.REFUSED, "The server of " + wanted + " is too old. Fetch it in the commands with git clone.");
        }
        var can = new StringBuilder(" side-band-64k");
        for (String one : new String[] {"ofs-delta", "no-progress"}) {
            can.append(found.can().contains(" " + one + " ") ? " " + one : "");
        }
        var ask = Buffer.buffer(Packets.packet("want " + found.id() + can));
        if (found.can().contains(" shallow ")) {
            ask.appendBytes(Packets.packet("deepen 1"));
        }
        return ask.appendString("0000").appendBytes(Packets.packet("done"));
    }

    private void pack(Packets packets, OutputStream pack, Reserved reserved) throws IOException {
        long all = 0;
        Packet next = packets.next();
        for (; next.kind() == Kind.LINE; next = packets.next()) {
            byte[] bytes = next.bytes().getBytes();
            switch (bytes.length == 0 ? 0 : bytes[0]) {
                case 1 -> {
                    reserved.have(all, bytes.length - 1);
                    pack.write(bytes, 1, bytes.length - 1);
                    all += bytes.length - 1;
                }
                case 3 -> throw Packets.refused(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8));
                default -> span.check(wanted.toString()); // what it tells of its progress
            }
        }
        if (next.kind() == Kind.OVER) {
            throw new StoreFault(Why.BROKEN, "The line broke: the pack was cut off.");
        }
        reserved.have(all, 0);
    }

    /** Which id a name has. */
    private static final class Named {
        private final Wanted wanted;
        private final @Nullable String[] ids;

        Named(Wanted wanted) {
            this.wanted = wanted;
            this.ids = new String[wanted.names().size()];
        }

        void take(String said) {
            String[] words = said.split(" ", 3);
            if (words.length < 2 || !COMMIT.matcher(words[0]).matches()) {
                return;
            }
            int which = wanted.names().indexOf(words[1]);
            if (which >= 0) {
                ids[which] = words[0];
            } else if (wanted.isCommit() && words[0].equals(wanted.revision())) {
                ids[0] = words[0];
            }
        }

        /** @param any whether commits may be asked for that have no name */
        String id(boolean any) throws StoreFault {
            for (String id : ids) {
                if (id != null) {
                    return id;
                }
            }
            if (wanted.isCommit() && wanted.revision() != null) {
                if (any) {
                    return wanted.revision();
                }
                throw new StoreFault(
                        Why.REFUSED,
                        "The server of " + wanted + " gives no commits that have no name. Name a branch or a tag.");
            }
            throw new StoreFault(
                    Why.NO_OBJECT,
                    wanted.revision() == null
                            ? wanted + " shows no branch first, or is empty. Name one, as in " + wanted + "#main."
                            : wanted + " has no branch or tag “" + wanted.revision()
                                    + "”. Look at its spelling; a commit is named with all its 40 digits.");
        }
    }
}
