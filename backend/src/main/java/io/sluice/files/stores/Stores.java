package io.sluice.files.stores;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The door to stores of objects: those that the administrator has listed, the first of which is meant where none is named. */
public record Stores(List<StoreAddress> all) {
    public static final Stores NONE = new Stores(List.of());
    private static final String BUCKET_IN_HOST = "{bucket}.";
    private static final String REGION = "region=";
    private static final String USUAL_REGION = "us-east-1";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");

    /**
     * A place in a store.
     *
     * @param prefix that the names of its objects have, without a slash at its end; empty: all of the bucket
     */
    public record Place(StoreAddress store, String bucket, String prefix) {
        /** Whether an object is this one, or is in it. */
        public boolean has(String key) {
            return prefix.isEmpty() || key.equals(prefix) || key.startsWith(prefix + "/");
        }

        @Override
        public String toString() {
            return "s3://" + store.name() + "/" + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
        }
    }

    public Stores {
        all = List.copyOf(all);
    }

    /**
     * As the administrator lists them: {@code NAME=URL,NAME=URL}. A region stands behind an address as {@code ?region=}, and {@code
     * {bucket}.} before its host where buckets are named there.
     */
    public static Stores read(String text, List<String> faults) {
        List<StoreAddress> all = new ArrayList<>();
        for (String one : text.split(",")) {
            if (!one.isBlank()) {
                store(one.strip(), faults).ifPresent(all::add);
            }
        }
        long names = all.stream().map(StoreAddress::name).distinct().count();
        if (names < all.size()) {
            faults.add("--s3-stores names a store twice. Give each a name of its own.");
        }
        return new Stores(all);
    }

    private static Optional<StoreAddress> store(String one, List<String> faults) {
        int equals = one.indexOf('=');
        String name = equals < 0 ? "" : one.substring(0, equals);
        String address = one.substring(equals + 1);
        boolean inHost = address.contains("://" + BUCKET_IN_HOST);
        try {
            URI uri = new URI(address.replace("://" + BUCKET_IN_HOST, "://"));
            String query = uri.getQuery();
            boolean known = query == null || query.matches(REGION + "[a-z0-9-]{1,40}");
            if (NAME.matcher(name).matches() && isEndpoint(uri) && known) {
                String region = query == null ? USUAL_REGION : query.substring(REGION.length());
                return Optional.of(new StoreAddress(
                        name,
                        new URI(uri.getScheme(), null, uri.getHost(), uri.getPort(), null, null, null),
                        inHost,
                        region));
            }
        } catch (URISyntaxException e) {
            faults.add("--s3-stores " + one + " is no store: " + e.getReason() + ".");
            return Optional.empty();
        }
        faults.add(
                "--s3-stores " + one + " is no store. Give a name of a-z 0-9 - and an address without a path, like"
                        + " lab=https://minio.lab:9000 or cloud=https://{bucket}.oss-cn-beijing.aliyuncs.com?region=oss-cn-beijing.");
        return Optional.empty();
    }

    private static boolean isEndpoint(URI uri) {
        return uri.getHost() != null
                && Set.of("http", "https").contains(String.valueOf(uri.getScheme()))
                && uri.getUserInfo() == null
                && Set.of("", "/").contains(String.valueOf(uri.getPath()));
    }

    public Optional<StoreAddress> named(String name) {
        return all.stream().filter(store -> store.name().equals(name)).findFirst();
    }

    /** What {@code STORE/BUCKET/PREFIX} or {@code BUCKET/PREFIX} means; its message says why it means nothing. */
    public Place place(String address) {
        if (all.isEmpty()) {
            throw new IllegalArgumentException(
                    "This gateway knows no store of objects. Name a folder that tasks see, as"
                            + " /userhome/data, or ask your administrator for a store.");
        }
        List<String> steps = Arrays.asList(address.replaceFirst("/$", "").split("/", -1));
        Optional<StoreAddress> named = named(steps.getFirst());
        if (named.isPresent()) {
            steps = steps.subList(1, steps.size());
        }
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("s3://" + address + " names a store and no bucket in it. Write s3://"
                    + address.replaceFirst("/$", "") + "/BUCKET/PREFIX.");
        }
        String bucket = steps.getFirst();
        if (!BUCKET.matcher(bucket).matches()) {
            throw new IllegalArgumentException("“" + bucket + "” in s3://" + address
                    + " is the name of no bucket. Stores here: "
                    + String.join(", ", all.stream().map(StoreAddress::name).toList()) + ".");
        }
        return new Place(named.orElse(all.getFirst()), bucket, String.join("/", steps.subList(1, steps.size())));
    }
}
