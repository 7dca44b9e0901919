@NullMarked
package io.sluice.files.stores;

import org.jspecify.annotations.NullMarked;
