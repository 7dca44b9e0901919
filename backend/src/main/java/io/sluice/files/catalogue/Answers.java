package io.sluice.files.catalogue;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.Map;
import java.util.function.Function;

/**
 * What the pages of a catalogue say to the forms that they get.
 *
 * @param all the address of its first page
 */
public record Answers(String all) {

    /** Of a catalogue. */
    public interface Entry {
        long id();

        String name();

        Standing standing();
    }

    public Reply said(Call call, Entry entry, Note note) {
        return Reply.seeOther(all + "/" + entry.id()).noting(call, note);
    }

    /** @param refused what is shown where it clashes with another */
    public Future<Reply> kept(Call call, Future<? extends Entry> keeping, Function<Faults, Future<Reply>> refused) {
        return keeping.map(one -> said(
                        call,
                        one,
                        Note.good(
                                one.standing().isAccepted() ? "note.catalogue.kept" : "note.catalogue.proposed",
                                one.name())))
                .recover(failure -> isConflict(failure)
                        ? refused.apply(new Faults(Map.of(), Note.bad("catalogue.fault." + ((Problem) failure).code())))
                        : Future.failedFuture(failure));
    }

    /** @param answer gives an entry the administrator's word */
    public Future<Reply> answered(Call call, Entry found, Function<Standing.Word, Future<? extends Entry>> answer) {
        var word = Typed.word(call);
        if (!word.accepted() && word.text().isEmpty()) {
            return Future.succeededFuture(said(call, found, Note.bad("note.catalogue.wordless")));
        }
        return answer.apply(word)
                .map(one -> said(
                        call,
                        one,
                        Note.good(
                                word.accepted() ? "note.catalogue.accepted" : "note.catalogue.declined",
                                one.name(),
                                one.standing().user())))
                .recover(failure -> isConflict(failure)
                        ? Future.succeededFuture(said(
                                call,
                                found,
                                Note.bad(
                                        ((Problem) failure).code().equals("ConflictError")
                                                ? "catalogue.fault.ConflictError"
                                                : "note.catalogue.taken",
                                        found.name())))
                        : Future.failedFuture(failure));
    }

    private static boolean isConflict(Throwable failure) {
        return failure instanceof Problem problem && problem.kind() == Problem.Kind.CONFLICT;
    }
}
