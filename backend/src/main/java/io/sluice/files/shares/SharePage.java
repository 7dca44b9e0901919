package io.sluice.files.shares;

import io.sluice.web.View.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** @param shares all that there are */
public record SharePage(List<Share> shares, @Nullable Note note) {
    public SharePage {
        shares = List.copyOf(shares);
    }
}
