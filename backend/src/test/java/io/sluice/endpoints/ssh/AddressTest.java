package io.sluice.endpoints.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AddressTest {

    @Test
    void a_name_says_whose_job_which_role_and_which_task() {
        assertThat(Address.parse("train")).contains(new Address(null, "train", null, null));
        assertThat(Address.parse("ann~train")).contains(new Address("ann", "train", null, null));
        assertThat(Address.parse("train+worker")).contains(new Address(null, "train", "worker", null));
        assertThat(Address.parse("a.b~t_1+ps~x+12")).contains(new Address("a.b", "t_1", "ps~x", 12));
    }

    @Test
    void what_is_no_name_is_none() {
        for (String odd : List.of(
                "",
                "~",
                "+",
                "~x",
                "x~",
                "x+",
                "a b",
                "a/b",
                "../x",
                "x+y+z",
                "x+y+1234567",
                "x\n",
                "x\0",
                "ü",
                "x'y")) {
            assertThat(Address.parse(odd)).as(odd).isEmpty();
        }
    }
}
