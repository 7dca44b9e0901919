package io.sluice.files.stores;

/** With what somebody shows a store who they are. */
public record AccessKey(String id, String secret) {
    @Override
    public String toString() {
        return "AccessKey[" + id + "]";
    }
}
