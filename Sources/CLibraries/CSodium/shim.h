// The one header that the module `CSodium` is made of.
#pragma once
#include <sodium.h>
