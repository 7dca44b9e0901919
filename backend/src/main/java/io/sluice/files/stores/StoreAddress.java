package io.sluice.files.stores;

import java.net.URI;

/**
 * A store that an administrator has listed: what users can make the gateway ask is one of these, and nothing else.
 *
 * @param inHost whether a bucket stands in the name of the host, as some stores want it, and not in the path
 * @param region that requests are signed for
 */
public record StoreAddress(String name, URI endpoint, boolean inHost, String region) {}
