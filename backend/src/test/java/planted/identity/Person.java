package planted.identity;

import planted.web.Web;

/** Its room has no door of its name, and makes a cycle with web. */
public record Person(Web web) {}
