package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Problem;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointRoutesTest {
    private static Endpoints.Wish wish(String body) throws Exception {
        return EndpointRoutes.wish((ObjectNode) new ObjectMapper().readTree(body));
    }

    @Test
    void a_wish_is_read_with_all_that_it_has() throws Exception {
        var wish = wish("""
                {"recipe": "tensorboard", "role": "worker", "index": 1, "port": 8080,
                 "options": {"logdir": "/mnt/a", "reload": 5, "fast": true}, "shared": ["ann", "bob"]}""");
        assertThat(wish.recipe()).isEqualTo("tensorboard");
        assertThat(wish.role()).isEqualTo("worker");
        assertThat(wish.index()).isEqualTo(1);
        assertThat(wish.port()).isEqualTo("8080");
        assertThat(wish.options()).isEqualTo(Map.of("logdir", "/mnt/a", "reload", "5", "fast", "true"));
        assertThat(wish.shared()).containsExactly("ann", "bob");
    }

    @Test
    void what_is_null_is_not_given() throws Exception {
        var wish = wish("""
                {"recipe": "tensorboard", "role": null, "index": null, "port": null, "options": {"logdir": null},
                 "shared": null}""");
        assertThat(wish.role()).isNull();
        assertThat(wish.index()).isZero();
        assertThat(wish.port()).isNull();
        assertThat(wish.options()).isEmpty();
        assertThat(wish.shared()).isEmpty();
        assertThat(wish("{\"recipe\": \"port\", \"options\": null}").options()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
                    {"recipe": "port", "ports": 1}; An endpoint has no ports
                    {"recipe": ["port"]}; recipe is one text
                    {"recipe": "port", "index": "1"}; index is the number of a task
                    {"recipe": "port", "port": [8080]}; port is one text
                    {"recipe": "port", "role": {}}; role is one text
                    {"recipe": "port", "options": ["a"]}; options is an object
                    {"recipe": "port", "options": {"path": ["a"]}}; Option path is a text
                    {"recipe": "port", "shared": "ann"}; shared is a list of names
                    {"recipe": "port", "shared": [1]}; shared is a list of names""")
    void what_is_not_in_its_shape_is_refused_by_its_name(String body, String told) {
        assertThatThrownBy(() -> wish(body)).isInstanceOf(Problem.class).hasMessageContaining(told);
    }
}
