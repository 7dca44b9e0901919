package io.sluice.jobs.data;

import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.Folders;
import io.sluice.jobs.data.back.Unfinished;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Room;
import io.sluice.jobs.data.git.Repositories;
import io.sluice.jobs.data.web.Source;
import io.sluice.jobs.data.web.WebFile;
import io.sluice.jobs.data.web.WebLine;
import io.sluice.jobs.protocol.data.Data;
import io.sluice.jobs.stores.StoreKeys;
import java.io.IOException;

/** Where data comes from and goes to: what an address means, and whose key opens it. */
final class Sources implements AutoCloseable {
    private final StoreKeys keys;
    private final WebLine web;
    private final Repositories repositories;
    private final Folders folders;
    private final Room room;

    Sources(StoreKeys keys, WebLine web, Repositories repositories, Folders folders, Room room) {
        this.keys = keys;
        this.web = web;
        this.repositories = repositories;
        this.folders = folders;
        this.room = room;
    }

    Input input(Asked asked, Progress one, Care care) throws IOException {
        var named = new Data.Named(one.name, one.address);
        if (!named.isInStore()) {
            return new SourceInput(source(asked.job(), one, named.source(), care), one);
        }
        Stores.Place place = place(one.address);
        return new StoreInput(care.of(() -> open(asked.userId(), place)), place, care, StoreInput.MOST);
    }

    private Source source(long job, Progress one, String kind, Care care) throws IOException {
        return kind.equals("git")
                ? repositories.source(
                        one.address,
                        folders.unpacking(job).resolve(one.name),
                        (bytes, left) -> room.promise(job, bytes, left),
                        care,
                        came -> one.bytes.set(came))
                : new WebFile(web, one.address, care);
    }

    Stores.Place place(String address) throws IOException {
        try {
            return keys.stores().place(new Data.Named("", address).inStore());
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    StoreLine open(long user, Stores.Place place) throws IOException {
        AccessKey key = keys.key(user, place.store())
                .await()
                .orElseThrow(
                        () -> new StoreFault(
                                StoreFault.Why.CREDENTIALS,
                                "You have left no access key for store "
                                        + place.store().name()
                                        + " here. Write it under Stores of objects on your profile page, and submit the job again."));
        return StoreLine.open(place.store(), key);
    }

    void abort(Unfinished.Upload upload) throws IOException {
        var store = keys.stores()
                .named(upload.store())
                .orElseThrow(() -> new IOException("this gateway knows no such store any more"));
        var place = new Stores.Place(store, upload.bucket(), "");
        try (StoreLine line = open(upload.user(), place)) {
            line.abort(place, upload.key(), upload.id());
        }
    }

    @Override
    public void close() {
        web.close();
    }
}
