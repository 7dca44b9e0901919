package io.sluice.jobs.data;

import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Turn;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What is done for the data of one attempt, on a thread of its own. It remembers how far it is; how that is told is another's. */
abstract class Errand {
    private static final Logger log = System.getLogger(Errand.class.getName());

    /** How it stands. */
    enum Stage {
        WAITING,
        AT_WORK,
        DONE,
        FAILED,
        LEFT_OFF
    }

    final Asked asked;
    final Care care;
    final List<Progress> all;
    private volatile Stage stage = Stage.WAITING;
    private volatile boolean passing;
    private volatile long ended;

    Errand(Asked asked, Care care, List<Progress> all) {
        this.asked = asked;
        this.care = care;
        this.all = all;
    }

    Stage stage() {
        return stage;
    }

    /** When it was over, of this machine's own measure. */
    long ended() {
        return ended;
    }

    /** What whoever looks is told beside the reason. */
    String remark() {
        return "";
    }

    /** Of one that has failed: whether the same may do at another time. */
    boolean isPassing() {
        return passing;
    }

    boolean isOver() {
        return stage != Stage.WAITING && stage != Stage.AT_WORK;
    }

    void leaveOff() {
        care.leaveOff();
    }

    /** Until all is moved; fails where it can not be. */
    abstract void work() throws Exception;

    /** @param file that whoever moves the job's data holds */
    final void run(Path file) {
        stage = Stage.AT_WORK;
        try (Turn turn = turn(file)) {
            log.log(Level.DEBUG, "job={0} data={1} turn={2}", Long.toString(asked.job()), this, turn);
            work();
            stage = Stage.DONE;
        } catch (Care.LeftOff e) {
            stage = Stage.LEFT_OFF;
        } catch (Throwable e) { // whatever it is, the job has to hear of it
            log.log(Level.WARNING, "job={0} data=failed cause=\"{1}\"", Long.toString(asked.job()), String.valueOf(e));
            passing = Care.isPassing(e);
            fail(Landing.said(e) + remark());
            stage = Stage.FAILED;
        } finally {
            ended = System.nanoTime();
        }
    }

    /** When no other gateway has it any more. */
    private Turn turn(Path file) throws IOException {
        care.goOn();
        for (var turn = Turn.take(file); ; turn = Turn.take(file)) {
            if (turn.isPresent()) {
                return turn.get();
            }
            care.rest();
        }
    }

    private void fail(String message) {
        all.stream()
                .filter(one -> one.state == Transfer.State.MOVING || one.state == Transfer.State.WAITING)
                .findFirst()
                .ifPresent(one -> {
                    one.message = message;
                    one.state = Transfer.State.FAILED;
                });
    }

    /** What is moved at this moment, or next. */
    Optional<Progress> present() {
        return in(Transfer.State.MOVING).or(() -> in(Transfer.State.WAITING));
    }

    private Optional<Progress> in(Transfer.State state) {
        return all.stream().filter(one -> one.state == state).findFirst();
    }

    List<Transfer> told() {
        return all.stream().map(Progress::told).toList();
    }
}
