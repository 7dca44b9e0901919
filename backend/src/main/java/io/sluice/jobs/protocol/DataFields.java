package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.JobSpec.Storage;
import io.sluice.jobs.protocol.data.Data;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads {@code extras.sluice.data}. */
final class DataFields {
    private static final int MOST = 20;

    private final List<String> mounts;

    private DataFields(List<String> mounts) {
        this.mounts = mounts;
    }

    /** Only what can be read later is kept. */
    static void read(Fields ours, @Nullable List<Storage> storages, Map<String, Object> kept) {
        Fields data = ours.object(Data.KEY);
        if (data == null) {
            return;
        }
        var reader = new DataFields((storages == null ? List.<Storage>of() : storages)
                .stream().map(Storage::mountPath).flatMap(Stream::ofNullable).toList());
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("inputs", reader.list(data, "inputs", "from"));
        all.put("outputs", reader.list(data, "outputs", "to"));
        all.values().removeIf(List.of()::equals);
        data.close();
        if (!all.isEmpty()) {
            kept.put(Data.KEY, all);
        }
    }

    private List<Object> list(Fields data, String key, String at) {
        List<Child> children = data.list(key, 0);
        if (children.size() > MOST) {
            data.fault(key, "tooManyData", Integer.toString(children.size()), Integer.toString(MOST));
        }
        List<Object> all = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Child child : children) {
            Fields one = data.object(child);
            if (one != null) {
                all.add(Map.of("name", name(one, names), at, address(one, at)));
                one.close();
            }
        }
        return all;
    }

    private static String name(Fields one, Set<String> names) {
        one.require("name");
        String name = one.text("name");
        if (name == null) {
            return "";
        }
        if (!Data.isName(name)) {
            one.fault("name", "dataName", Fields.brief(name));
        } else if (!names.add(name)) {
            one.fault("name", "duplicateName", name);
        }
        return name;
    }

    private String address(Fields one, String key) {
        one.require(key);
        String address = one.text(key);
        if (address == null) {
            return "";
        }
        if (!Data.isAddress(address)) {
            one.fault(key, "dataAddress", Fields.brief(address));
        } else if (address.startsWith("/") && !Data.isFolder(address, mounts)) {
            one.fault(key, "dataFolder", Fields.brief(address));
        }
        return Objects.requireNonNull(address);
    }
}
