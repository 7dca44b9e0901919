package io.sluice;

import io.sluice.telemetry.notices.Outside;
import io.sluice.web.addresses.Networks;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the flags say of mail and webhooks. */
final class Mailing {
    private Mailing() {}

    static Outside.Settings read(Map<String, String> values, Map<String, String> environment, List<String> faults) {
        String from = values.getOrDefault("mail-from", "").strip();
        if (!Outside.isAddress(from)) {
            faults.add("--mail-from " + from + " is no e-mail address. Give one like sluice@example.org.");
        }
        String password = environment.get("SLUICE_SMTP_PASSWORD");
        return new Outside.Settings(
                server(values.getOrDefault("smtp", "").strip(), faults),
                password == null || password.isEmpty() ? null : password,
                from,
                networks(values.getOrDefault("webhook-networks", ""), faults));
    }

    private static @Nullable URI server(String text, List<String> faults) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            URI server = new URI(text);
            boolean known = Set.of("smtp", "smtps").contains(String.valueOf(server.getScheme()));
            String user = server.getUserInfo();
            if (user != null && user.contains(":")) {
                faults.add("--smtp must not have the password in it, where every process list shows it. Give it as"
                        + " SLUICE_SMTP_PASSWORD.");
                return null;
            }
            if (known && server.getHost() != null) {
                return server;
            }
        } catch (URISyntaxException e) {
            faults.add("--smtp " + text + " is no address: " + e.getReason() + ".");
            return null;
        }
        faults.add("--smtp " + text + " is no mail server. Give one like smtp://user@mail.example.org:587.");
        return null;
    }

    private static Networks networks(String text, List<String> faults) {
        var ranges = Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(range -> !range.isEmpty())
                .toList();
        try {
            return new Networks(ranges.stream().map(Networks.Network::of).toList());
        } catch (IllegalArgumentException e) {
            faults.add("--webhook-networks: " + e.getMessage());
            return Networks.PUBLIC;
        }
    }
}
