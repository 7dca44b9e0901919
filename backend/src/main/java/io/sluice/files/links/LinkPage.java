package io.sluice.files.links;

import io.sluice.files.tree.Place;
import io.sluice.web.View.Note;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The links that somebody has made. */
public record LinkPage(
        String user, List<Link> links, @Nullable Note note) {
    public LinkPage {
        links = List.copyOf(links);
    }

    /** What it leads to, as people read it. */
    public String shown(Link link) {
        String path = Place.shown(URLDecoder.decode(link.path().replace("+", "%2B"), StandardCharsets.ISO_8859_1));
        return link.space().equals(user) ? path : link.space() + "/" + path;
    }
}
