package io.sluice.jobs.gang;

import io.sluice.jobs.gang.Gang.Member;
import io.sluice.jobs.gang.Place.Card;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The variables of Apulis and DLWorkspace. There a job was one {@code master}, or had a {@code ps} and workers; all roles but one called ps are its
 * workers here.
 */
final class Apulis {
    /** Of so many tasks each can be told where every other is. */
    private static final int MOST_PEERS = 1000;

    private static final String PS = "ps";

    private final Gang gang;
    private final Map<String, String> shared = new LinkedHashMap<>();
    private final Map<Member, String> indexes = new LinkedHashMap<>();

    Apulis(Gang gang) {
        this.gang = gang;
        Map<String, Integer> next = new LinkedHashMap<>();
        gang.members()
                .forEach(member ->
                        indexes.put(member, Integer.toString(next.merge(role(gang, member), 1, Integer::sum) - 1)));
        shared.put("DLWS_JOB_ID", Long.toString(gang.number()));
        shared.put("DLWS_USER_NAME", gang.user());
        shared.put("DLWS_VC_NAME", gang.spec().virtualCluster());
        shared.put("DLWS_NUM_PS", count(PS));
        shared.put("DLWS_NUM_WORKER", Long.toString(gang.members().size() - Long.parseLong(count(PS))));
        shared.put("DLWS_WORKER_NUM", Integer.toString(gang.ranked().size()));
        if (gang.members().size() <= MOST_PEERS) {
            gang.members().stream().filter(member -> member.address() != null).forEach(this::peer);
        }
    }

    private String count(String role) {
        return Long.toString(gang.members().stream()
                .filter(member -> role(gang, member).equals(role))
                .count());
    }

    private void peer(Member member) {
        String name = "DLWS_SD_" + role(gang, member) + indexes.get(member);
        shared.put(name + "_IP", String.valueOf(member.address()));
        shared.put(name + "_HOST_IP", member.place().server());
        Integer ssh = member.port("ssh");
        if (ssh != null) {
            shared.put(name + "_SSH_PORT", ssh.toString());
        }
        String links = links(member);
        if (!links.isEmpty()) {
            shared.put(name + "_NPU_IP_LIST", links);
        }
    }

    private static String links(Member member) {
        return member.place().cards().stream()
                .filter(card -> card.link() != null)
                .map(card -> String.valueOf(card.link()))
                .collect(Collectors.joining(","));
    }

    void of(Member member, Map<String, String> variables) {
        List<Card> cards = member.place().cards();
        variables.putAll(shared);
        variables.put("DLWS_ROLE_NAME", role(gang, member));
        variables.put("DLWS_ROLE_IDX", index(member));
        variables.put("DLTS_ROLE_IDX", index(member));
        variables.put("DLWS_NUM_GPU_PER_WORKER", Integer.toString(cards.size()));
        variables.put("DLWS_IS_NPU_JOB", Boolean.toString(cards.stream().anyMatch(Card::isAscend)));
        if (!cards.isEmpty()) {
            variables.put("DLWS_GPU_TYPE", cards.getFirst().type());
        }
        variables.put("DLWS_SD_SELF_HOST_IP", member.place().server());
        variables.put("DLWS_SD_SELF_IP", String.valueOf(member.address()));
        variables.put("POD_IP", String.valueOf(member.address()));
        variables.put("POD_NAME", pod(member));
        Integer ssh = member.port("ssh");
        if (ssh != null) {
            variables.put("DLWS_SD_SELF_SSH_PORT", ssh.toString());
        }
    }

    /** How rank tables call a task. */
    String pod(Member member) {
        return gang.number() + "-" + role(gang, member) + "-" + index(member);
    }

    private String index(Member member) {
        return String.valueOf(indexes.get(member));
    }

    private static String role(Gang gang, Member member) {
        if (gang.members().size() == 1) {
            return "master";
        }
        return member.role().equals(PS) ? PS : "worker";
    }
}
