package io.sluice.jobs.data;

import io.sluice.files.tree.Place;
import io.sluice.jobs.data.Landing.Announced;
import io.sluice.jobs.data.Landing.Coming;
import io.sluice.jobs.data.care.Crew;
import io.sluice.jobs.data.web.Source;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;

/** An input out of the web. */
final class SourceInput implements Input {
    private static final System.Logger log = System.getLogger(SourceInput.class.getName());

    private final Source source;
    private final Progress progress;

    SourceInput(Source source, Progress progress) {
        this.progress = progress;
        this.source = source;
    }

    @Override
    public Amount survey() throws IOException {
        Source.Amount amount = source.count();
        progress.bytes.set(0); // what has come on the way to the count is not there yet
        return new Amount(amount.files(), amount.bytes());
    }

    @Override
    public boolean isFresh() {
        return source.isFresh();
    }

    @Override
    public void fetch(Landing landing, Crew crew) throws IOException {
        source.each(new Onto(landing));
    }

    /** Where it lands. */
    private record Onto(Landing landing) implements Source.Taker {
        @Override
        public void permit(Place place) throws IOException {
            landing.permit(place);
        }

        @Override
        public void folder(Place place) throws IOException {
            landing.folder(place);
        }

        @Override
        public void link(Place place, String leads) throws IOException {
            landing.link(place, leads);
        }

        @Override
        public void file(Place place, String version, long size, Instant changed, Source.Opening opening)
                throws IOException {
            landing.land(place, new Announced(version, size, changed), at -> new Coming(opening.from(at), null));
        }
    }

    @Override
    public void close() {
        try {
            source.close();
        } catch (IOException e) {
            log.log(Level.WARNING, "data=web closed=no", e);
        }
    }
}
