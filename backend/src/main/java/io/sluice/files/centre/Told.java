package io.sluice.files.centre;

import io.sluice.files.space.Space;
import io.sluice.files.space.Undertakings;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.unpacking.BadArchive;
import io.sluice.web.Problem;
import java.io.IOException;
import java.util.concurrent.Callable;

/** What a disk refuses, in words of what to do. */
final class Told {
    private Told() {}

    static <T> T of(Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (Refused refused) {
            throw problem(refused);
        } catch (Place.Unspeakable unspeakable) {
            throw Problem.invalid(String.valueOf(unspeakable.getMessage()));
        } catch (BadArchive bad) {
            throw Problem.of(Problem.Kind.UNPROCESSABLE, bad.why().code(), bad.said());
        } catch (Undertakings.Stopped stopped) {
            throw Problem.of(Problem.Kind.CONFLICT, "StoppedError", "It was stopped, and nothing of it is left.");
        } catch (Space.Changed changed) {
            throw Problem.of(
                    Problem.Kind.CHANGED,
                    "The file has changed since you have read it. Look at what is there now before you write over it.");
        } catch (IOException e) {
            throw Refused.isFull(e) ? problem(new Refused(Refused.Why.FULL, "")) : e;
        }
    }

    private static Problem problem(Refused refused) {
        String name = refused.name().isEmpty() ? "This" : Place.shown(refused.name());
        return switch (refused.why()) {
            case MISSING ->
                Problem.of(
                        Problem.Kind.NOT_FOUND,
                        "NoFileError",
                        "There is nothing of that name. It may have been moved or deleted; look at its folder again.");
            case EXISTS ->
                Problem.of(
                        Problem.Kind.CONFLICT,
                        name + " is there already. Choose another name, or move that away first.");
            case NOT_A_FOLDER -> Problem.of(Problem.Kind.CONFLICT, name + " is no folder.");
            case NOT_A_FILE ->
                Problem.of(
                        Problem.Kind.CONFLICT,
                        name + " is no file. Folders, pipes, sockets and devices are not opened as one.");
            case LINK ->
                Problem.of(
                        Problem.Kind.CONFLICT,
                        name + " is a link, and links are not followed here. Open what it leads to.");
            case NOT_EMPTY -> Problem.of(Problem.Kind.CONFLICT, name + " is not empty.");
            case NOT_ALLOWED ->
                Problem.of(Problem.Kind.FORBIDDEN, name + " can not be read, changed or put there with your rights.");
            case FULL ->
                Problem.of(
                        Problem.Kind.FULL,
                        "There is no room for " + name
                                + ". Delete something for good (?forever=1) or empty the bin; or ask your administrator.");
            case TAKEN ->
                Problem.of(
                        Problem.Kind.LOCKED,
                        "Somebody else is changing this at the same moment. Look where it stands, and try again.");
            case TOO_MANY ->
                Problem.of(
                        Problem.Kind.UNPROCESSABLE,
                        name + " is more than can be done at once. Take it in parts, or finish what is under way.");
        };
    }
}
