package io.sluice.files.catalogue;

/**
 * Of a catalogue.
 *
 * @param <C> what people say of it
 */
public interface Entry<C> {
    long id();

    C content();

    String name();

    Standing standing();
}
