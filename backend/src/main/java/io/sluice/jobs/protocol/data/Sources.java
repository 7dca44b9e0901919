package io.sluice.jobs.protocol.data;

import io.sluice.jobs.protocol.data.Data.Named;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The prerequisites of a job that name data: each address of them that can be had here is an input. */
public final class Sources {
    /** Of all prerequisites of a job. */
    public static final int MOST = 100;

    private static final int LONGEST_NAME = 28;
    private static final int LONGEST = 4_000;

    private static final Set<String> WEB = Set.of("http", "https", "git+http", "git+https");

    private Sources() {}

    /** @param wanted addresses by the names of the prerequisites, in their order */
    public static Data with(Data data, Map<String, List<String>> wanted) {
        Set<String> taken = data.inputs().stream().map(Named::name).collect(Collectors.toCollection(HashSet::new));
        List<Named> all = new ArrayList<>(data.inputs());
        wanted.forEach((name, addresses) -> addresses.stream()
                .filter(Sources::isKnown)
                .limit(MOST)
                .forEach(address -> all.add(new Named(free(name(name), taken), address))));
        return new Data(all, data.outputs());
    }

    /** How many of these are more than texts. */
    public static long count(List<String> addresses) {
        return addresses.stream().filter(Sources::isKnown).count();
    }

    /** Others are texts, which commands may ask for. */
    private static boolean isKnown(String address) {
        return address.startsWith("/") ? Data.isAddress(address) : isWeb(address);
    }

    static boolean isWeb(String address) {
        if (address.length() > LONGEST) {
            return false;
        }
        try {
            URI uri = new URI(address);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            return WEB.contains(scheme);
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Whether what is to be had of an address of the web are the files of a repository. */
    static boolean isRepository(String address) {
        String plain = address.replaceFirst("[#?].*$", "");
        return address.regionMatches(true, 0, "git+", 0, 4) || plain.endsWith(".git") || plain.endsWith(".git/");
    }

    private static String name(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
        String lettered = plain.matches("[a-z].*") ? plain : "data_" + plain;
        return lettered.substring(0, Math.min(LONGEST_NAME, lettered.length()));
    }

    private static String free(String name, Set<String> taken) {
        String free = name;
        for (int count = 2; !taken.add(free); count++) {
            String end = "_" + count;
            free = name.substring(0, Math.min(name.length(), Data.LONGEST_NAME - end.length())) + end;
        }
        return free;
    }
}
