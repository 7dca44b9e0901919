@NullMarked
package io.sluice.files.catalogue;

import org.jspecify.annotations.NullMarked;
