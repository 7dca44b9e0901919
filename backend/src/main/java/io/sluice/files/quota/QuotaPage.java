package io.sluice.files.quota;

import io.sluice.web.View.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** @param people those who have most */
public record QuotaPage(
        List<Quotas.Person> people, @Nullable Note note) {
    public QuotaPage {
        people = List.copyOf(people);
    }

    public String amount(long bytes) {
        return Quotas.amount(bytes);
    }
}
