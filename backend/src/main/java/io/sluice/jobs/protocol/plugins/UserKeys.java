package io.sluice.jobs.protocol.plugins;

import io.sluice.jobs.protocol.JobSpec;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The public keys that a job brings along for whoever is to reach its tasks: OpenPAI's plugin {@code ssh}, {@code userssh}.
 *
 * @param fingerprints as {@code ssh-keygen -l} prints them
 * @param unreadable whether one of them is no key
 */
public record UserKeys(Set<String> fingerprints, boolean unreadable) {
    private static final int MOST = 50;

    public UserKeys {
        fingerprints = Set.copyOf(fingerprints);
    }

    public static UserKeys of(JobSpec spec) {
        Set<String> found = new LinkedHashSet<>();
        boolean unreadable = false;
        for (JobSpec.Plugin plugin : spec.plugins()) {
            if (plugin.name().equals("ssh")
                    && plugin.parameters().get("userssh") instanceof Map<?, ?> keys
                    && keys.get("value") instanceof String value) {
                for (String line :
                        value.lines().filter(one -> !one.isBlank()).limit(MOST).toList()) {
                    String fingerprint = fingerprint(line);
                    unreadable |= fingerprint.isEmpty();
                    found.add(fingerprint);
                }
            }
        }
        found.remove("");
        return new UserKeys(found, unreadable);
    }

    /** Of a line of {@code authorized_keys}. Empty: it is no key. */
    public static String fingerprint(String line) {
        String[] words = line.strip().split("\\s+", 3);
        if (words.length < 2 || !words[0].matches("[a-z0-9@.-]{3,64}")) {
            return "";
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(Base64.getDecoder().decode(words[1]));
            return "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(digest);
        } catch (IllegalArgumentException notBase64) {
            return "";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
